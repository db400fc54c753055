"""``./csro table``: published against measured in this database."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.command import complaint, csro

KEYS = {"settings", "runs", "seeds", "scores", "sandbox_level", "calls", "policies"} | {
    "calls_per_policy",
    "tried",
    "failed",
    "failed_share",
}


def test_a_run_stands_beside_its_published_row(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/csro.sqlite3"
    small = ("--oracle", "zero_shot", "--iterations", "1", "--episodes", "2")
    sizes = ("--evaluation-episodes", "2", "--seed", "5")
    solved = csro("solve", "--game", "leduc", *small, *sizes, "--json", "-", DATABASE_URL=database)
    assert solved.returncode == 0, solved.stderr
    found = f"{tmp_path}/table.json"
    done = csro("table", "--game", "leduc", "--json", found, DATABASE_URL=database)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("not run") == 6
    assert "grammar, 1 iteration, code, support" in done.stdout
    methods = {one["oracle"]: one for one in json.loads(Path(found).read_text())["methods"]}
    assert methods["zero_shot"]["published"]["agg_score"] == 20.7
    assert methods["cfr"]["measured"] == []
    (measured,) = methods["zero_shot"]["measured"]
    assert measured.keys() == KEYS
    assert measured["seeds"] == [5]
    mean = json.loads(solved.stdout)["best_policy"]["agg_score"]["mean"]
    best = next(one for one in measured["scores"] if one["subject"] == "best_policy")
    assert (best["agg_score"]["mean"], best["over"]) == (mean, "episodes")


def test_an_unknown_game_is_one_line() -> None:
    done = csro("table", "--game", "chess")
    assert done.returncode == 2
    assert "leduc" in complaint(done)
