"""What needs no stopwatch: names, the exact values, and the reader of the published table."""

from __future__ import annotations

from pathlib import Path

import pytest

from games.benchmarks import UnknownBenchmark, run
from games.benchmarks.rows import policy_source
from games.benchmarks.rrps_speed import play_in_process
from games.benchmarks.rrps_table import compare, read_table


def test_an_unknown_benchmark_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(UnknownBenchmark, match="rrps-frequency, rrps-predictors"):
        run("speed")
    with pytest.raises(UnknownBenchmark, match="--table FILE"):
        run("rrps-table")


def test_exact_leduc_values_are_reached(data_dir: Path) -> None:
    rows = run("leduc-exact")
    assert [row.reached for row in rows] == [True, True]


def test_the_in_process_loop_scores_like_the_engine() -> None:
    assert play_in_process(policy_source("frequency"), "rockbot", seed=1) == 1000


def test_a_table_of_deterministic_bots_is_reproduced(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("row_player,copybot,rockbot\ncopybot,0.0,1000.0\nrockbot,-1000.0,0.0\n")
    inside, outside = compare(table, episodes=2, workers=1)
    assert (inside.ours, inside.peer, outside.ours) == (4, 4, 0)
    table.write_text("row_player,copybot,rockbot\ncopybot,0.0,900.0\nrockbot,-900.0,0.0\n")
    inside, outside = compare(table, episodes=2, workers=1)
    assert (inside.ours, outside.ours, outside.reached) == (2, 2, False)


def test_a_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("row_player,a,b\na,0,1\n")
    with pytest.raises(ValueError, match="square table"):
        read_table(table)
