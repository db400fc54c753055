"""Benchmarks of what plays, against named peers, as ratios in one run (``./csro bench``)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from games.benchmarks.rows import Row

__all__ = ["BENCHMARKS", "Row", "UnknownBenchmark", "run"]


class UnknownBenchmark(ValueError):
    """No benchmark has this name; the message lists them."""


def _rrps_frequency() -> list[Row]:
    from games.benchmarks.rrps_speed import throughput

    return [throughput("rrps-frequency", "frequency", target=80.0, episodes=64)]


def _rrps_predictors() -> list[Row]:
    from games.benchmarks.rrps_speed import throughput

    return [throughput("rrps-predictors", "predictors32", target=15.0, episodes=64)]


def _rrps_cpu() -> list[Row]:
    from games.benchmarks.rrps_speed import cpu_ratio

    return [cpu_ratio("rrps-cpu", "predictors32", target=1.5, episodes=10)]


def _workers() -> list[Row]:
    from games.benchmarks.workers import scaling

    return [scaling("workers", target=1.8, episodes=10)]


def _leduc_speed() -> list[Row]:
    from games.benchmarks.leduc_speed import throughput

    return [throughput("leduc-hands", target=3.0, episodes=128)]


def _leduc_exact() -> list[Row]:
    from games.benchmarks.leduc_speed import exact_values

    return exact_values()


def _meta_solvers() -> list[Row]:
    from games.benchmarks.meta_solvers import meta_solver_rows

    return meta_solver_rows()


BENCHMARKS: dict[str, Callable[[], list[Row]]] = {
    "rrps-frequency": _rrps_frequency,
    "rrps-predictors": _rrps_predictors,
    "rrps-cpu": _rrps_cpu,
    "workers": _workers,
    "leduc-hands": _leduc_speed,
    "leduc-exact": _leduc_exact,
    "meta-solvers": _meta_solvers,
}
"""All benchmarks that need nothing but this machine; ``rrps-table`` also needs a table."""


def run(
    name: str | None = None,
    table: Path | None = None,
    on_row: Callable[[Row], None] | None = None,
) -> list[Row]:
    """Run one benchmark, or all; ``table`` is the published 43 x 43 table for ``rrps-table``.

    Raises:
        UnknownBenchmark: on an unknown name, or ``rrps-table`` without a table.
    """
    names = list(BENCHMARKS) if name is None else [name]
    if table is not None and (name is None or name == "rrps-table"):
        names = [n for n in names if n != "rrps-table"] + ["rrps-table"]
    rows: list[Row] = []
    for chosen in names:
        if chosen == "rrps-table":
            if table is None:
                raise UnknownBenchmark("rrps-table needs the published table: --table FILE")
            from games.benchmarks.rrps_table import compare

            found = compare(table)
        elif chosen in BENCHMARKS:
            found = BENCHMARKS[chosen]()
        else:
            known = ", ".join([*BENCHMARKS, "rrps-table"])
            raise UnknownBenchmark(f"no benchmark named {chosen!r}; known: {known}")
        for row in found:
            rows.append(row)
            if on_row is not None:
                on_row(row)
    return rows
