"""The flags of ``./csro solve``: every choice of a run, and no key."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from csro_web.cli.errors import WrongUsage
from csro_web.solving.arguments import FLAGS, add_run_arguments, described
from oracles.config import RunConfig
from oracles.options import Agent, Budget, Evolution, Impala, ModelChoice
from tests.cli.command import SCRIPT, complaint, csro, environment

SMALL = (
    *("--game", "leduc", "--oracle", "zero_shot", "--iterations", "1"),
    *("--episodes", "2", "--evaluation-episodes", "2"),
)


def data_of(*arguments: str) -> dict[str, Any]:
    parser = argparse.ArgumentParser()
    add_run_arguments(parser)
    return described(vars(parser.parse_args(["--game", "rrps", *arguments])))


def test_every_choice_of_a_run_has_a_flag() -> None:
    said_otherwise = {"game", "params", "initial", "allow_faulty", "recording", "prompts"}
    web_alone = {"challenge"}
    groups = {"evolution": Evolution, "budget": Budget, "agent": Agent, "impala": Impala}
    wanted = {one.name for one in fields(RunConfig)} - groups.keys() - {"model"}
    wanted |= {f"{place}.{one.name}" for place, kind in groups.items() for one in fields(kind)}
    assert {flag.path for flag in FLAGS} == wanted - said_otherwise - web_alone


def test_a_flag_goes_to_its_place_and_the_rest_keeps_its_default() -> None:
    data = data_of("--islands", "2", "--max-usd", "1.5", "--solver", "prd", "--opponents", "top5")
    config = RunConfig.from_json(data)
    assert (config.evolution.islands, config.evolution.window) == (2, Evolution().window)
    assert (config.budget.usd, config.budget.calls) == (1.5, None)
    assert str(config.training_solver) == str(config.evaluation_solver) == "prd"
    apart = data_of("--solver", "prd", "--evaluation-solver", "nash")
    assert (apart["training_solver"], apart["evaluation_solver"]) == ("prd", "nash")


def test_models_are_named_with_weights_and_endpoints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "endpoints.toml"
    path.write_text('[lab]\napi_base = "http://127.0.0.1:9/v1"\nmodels = ["small"]\n')
    monkeypatch.setenv("CSRO_ENDPOINTS", str(path))
    monkeypatch.setenv("LAB_API_KEY", "sk-of-the-lab")
    choice = ModelChoice.from_json(
        data_of(
            *("--model", "small@lab=3", "--model", "ollama/llama3.2:1b"),
            *("--model", "vertex_ai/claude@20240620", "--fallback", "small@lab"),
            *("--api-base", "http://127.0.0.1:8080/v1/", "--api-key-env", "LAB_API_KEY"),
            *("--temperature", "0", "--answer-tokens", "100"),
        )["model"]
    )
    assert [(ref.model, ref.endpoint, ref.weight) for ref in choice.models] == [
        ("small", "lab", 3.0),
        ("ollama/llama3.2:1b", "", 1.0),
        ("vertex_ai/claude@20240620", "", 1.0),
    ]
    assert [ref.endpoint for ref in choice.fallbacks] == ["lab"]
    assert (choice.api_base, choice.api_key_env) == ("http://127.0.0.1:8080/v1", "LAB_API_KEY")
    assert (choice.temperature, choice.max_tokens, choice.top_p) == (0.0, 100, None)
    assert "model" not in data_of("--iterations", "2")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--api-key", "sk-secret-secret"), "never an argument"),
        (("--api-key=sk-secret-secret",), "never an argument"),
        (("--model", "m", "--api-base", "http://a", "--api-key-env", "sk-secret-secret"), "set"),
        (("--model", "m", "--api-base", "http://a", "--api-key-env", "PATH"), "in its name"),
        (("--model", "m", "--api-base", "http://a", "--api-key-env", "CSRO_SECRET_KEY"), "own"),
        (("--model", "m", "--api-base", "http://me:sk-secret-secret@a/v1"), "no password"),
        (("--model", "m", "--api-base", "file:///etc/passwd"), "http://"),
    ],
)
def test_a_key_is_refused_as_an_argument_and_never_repeated(
    arguments: tuple[str, ...], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CSRO_SECRET_KEY", "secret-secret")
    with pytest.raises(WrongUsage) as caught:
        data_of(*arguments)
    assert told in str(caught.value)
    assert "secret-secret" not in str(caught.value)


def test_a_prompt_comes_from_a_file(tmp_path: Path) -> None:
    mine = tmp_path / "mine.md"
    mine.write_text("You write short programs.\n")
    assert data_of("--prompt", f"system={mine}")["prompts"] == {"system": mine.read_text()}
    mine.write_bytes(b"\xff\xfe")
    with pytest.raises(WrongUsage, match="UTF-8"):
        data_of("--prompt", f"system={mine}")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((*SMALL, "--islands", "0"), "islands"),
        ((*SMALL, "--iterations", "many"), "--iterations"),
        ((*SMALL, "--model", "m=heavy"), "no weight"),
        ((*SMALL, "--prompt", "nothing=LICENSE"), "nothing"),
        (("--iterations", "2"), "--game is missing"),
        (("--resume", "1", "--seed", "2"), "leave out --seed"),
        (("--resume", "7"), "there is no run 7"),
    ],
)
def test_what_cannot_be_is_one_line_and_makes_no_run(
    arguments: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    done = csro("solve", *arguments, DATABASE_URL=f"sqlite:///{tmp_path}/csro.sqlite3")
    assert done.returncode in (1, 2)
    assert says in complaint(done)


def test_replicates_are_runs_of_their_own_with_intervals_over_them(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/csro.sqlite3"
    arguments = (*SMALL, "--seed", "5", "--replicates", "3", "--json", f"{tmp_path}/answer.json")
    done = csro("solve", *arguments, DATABASE_URL=database)
    assert done.returncode == 0, done.stderr
    answer = json.loads((tmp_path / "answer.json").read_text())
    alone = csro("solve", *SMALL, "--seed", "6", "--json", "-", DATABASE_URL=database)
    scores = [run["best_policy"]["agg_score"]["mean"] for run in answer["runs"]]
    assert json.loads(alone.stdout)["best_policy"]["agg_score"]["mean"] == scores[1]
    assert len(set(scores)) > 1
    over = answer["over_runs"]["best_policy"]["agg_score"]
    low, high = stats.t.interval(0.95, 2, loc=sum(scores) / 3, scale=stats.sem(scores))
    assert (over["mean"], over["low"], over["high"]) == pytest.approx((sum(scores) / 3, low, high))
    assert "3 runs: best policy" in done.stdout


def test_an_interrupted_run_goes_on_in_the_terminal_with_the_same_numbers(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/csro.sqlite3"
    longer = ("--game", "leduc", "--oracle", "zero_shot", "--iterations", "3", "--seed", "3")
    sizes = ("--episodes", "4", "--evaluation-episodes", "100")
    process = subprocess.Popen(
        [sys.executable, SCRIPT, "solve", *longer, *sizes],
        env=environment(DATABASE_URL=database),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert "steps" in process.stderr.readline(), "it has begun"
    time.sleep(1)
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "./csro solve --resume 1" in errors
    resumed = csro("solve", "--resume", "1", "--json", "-", DATABASE_URL=database)
    assert resumed.returncode == 0, resumed.stderr
    whole = csro("solve", *longer, *sizes, "--json", "-", DATABASE_URL=database)
    first, second = (json.loads(done.stdout) for done in (resumed, whole))
    assert first["run"] == 1
    for key in ("iterations", "final_mixture", "best_policy", "last_policy"):
        assert first[key] == second[key]
    again = csro("solve", "--resume", "1", DATABASE_URL=database)
    assert "run 1 is finished" in complaint(again)


def test_a_prepared_set_is_compared_by_condition(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/csro.sqlite3"
    arguments = (*SMALL, "--set", "ablation-context", "--json", f"{tmp_path}/answer.json")
    done = csro("solve", *arguments, DATABASE_URL=database)
    assert done.returncode == 0, done.stderr
    answer = json.loads((tmp_path / "answer.json").read_text())
    names = [one["condition"] for one in answer["conditions"]]
    assert names == ["context code", "context summary", "context none"]
    assert all(len(one["runs"]) == 1 and one["over_runs"] == {} for one in answer["conditions"])
    for name in names:
        assert f"{name} " in done.stdout
    assert done.stdout.count("episodes of 1 run") == 9
