"""``./csro bench``: what is measured against named peers, as ratios in one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from csro_web.cli.arguments import add_json, parser, whole_number
from csro_web.cli.errors import CommandFailure, WrongUsage, one_line
from csro_web.cli.output import STDOUT, check_target, say, table, write_json

if TYPE_CHECKING:
    from games.benchmarks import Row

EVOLUTION = "evolution"
"""Takes half an hour, so it is run only when it is named."""
MODELS = "models"
"""What the product adds to a call of a language model."""
DIFFERENCES = "differences"
DESK = "desk"
PAGES = (MODELS, DIFFERENCES, DESK)
"""Those that are not about playing: calls of models, and the reviewer's pages."""
HEADING = ("benchmark", "ours", "peer", "ratio", "target", "", "")


def main(name: str, argv: Sequence[str]) -> int:
    arguments = parser(
        name, "Benchmarks against named peers, each as a ratio of two measurements of one run."
    )
    arguments.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="which ones (default: all that need no --table, without evolution)",
    )
    arguments.add_argument(
        "--seeds",
        type=whole_number(1, 1000),
        default=5,
        help="searches per method, for evolution (default: 5)",
    )
    arguments.add_argument(
        "--table", metavar="FILE", help="the published cross table (CSV), for rrps-table"
    )
    add_json(arguments)
    given = arguments.parse_args(argv)
    check_target(given.json)

    from games.benchmarks import BENCHMARKS, UnknownBenchmark
    from games.engine import EngineError

    path = None if given.table is None else Path(given.table)
    if path is not None and not path.is_file():
        raise CommandFailure(f"cannot read {given.table}: there is no such file")
    rows: list[Row] = []
    try:
        for chosen in given.names or [*BENCHMARKS, *PAGES, *(["rrps-table"] if path else [])]:
            say(f"measuring {chosen}")
            rows += _measure(chosen, path, given.seeds)
    except UnknownBenchmark as error:
        raise WrongUsage(f"{error}, {', '.join(PAGES)}, {EVOLUTION}") from None
    except EngineError as error:
        raise CommandFailure(one_line(error)) from error
    if given.json != STDOUT:
        print(table([_cells(row) for row in rows], HEADING))
        for row in rows:
            print(f"{row.name}: {row.note}")
    if given.json:
        write_json(given.json, {"benchmarks": [_answer(row) for row in rows]})
    return 0


def _measure(name: str, table_path: Path | None, seeds: int) -> list[Row]:
    if name == EVOLUTION:
        from oracles.benchmarks import evolution

        return evolution.run(evolution.Plan(seeds=seeds), say)
    if name == MODELS:
        from csro_web.calls.benchmark import overheads

        return overheads()
    if name == DIFFERENCES:
        from csro_web.policies.benchmark import differences

        return differences()
    if name == DESK:
        from csro_web.search.benchmark import pages

        return pages()
    from games.benchmarks import run

    return run(name, table_path)


def _cells(row: Row) -> tuple[str, ...]:
    bound = "" if row.target is None else f"{'<=' if row.at_most else '>='} {row.target:g}"
    reached = {True: "reached", False: "missed", None: ""}[row.reached]
    return (
        row.name,
        _figure(row.ours),
        _figure(row.peer),
        _figure(row.ratio),
        bound,
        row.unit,
        reached,
    )


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def _answer(row: Row) -> dict[str, Any]:
    return {**asdict(row), "reached": row.reached}
