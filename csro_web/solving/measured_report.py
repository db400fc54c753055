"""The table of published and measured results as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from csro_web.cli.output import interval, number, table
from csro_web.runs.comparison import Over, Score
from csro_web.solving.measured import UNTUNED, Measured, Method
from csro_web.solving.published import PublishedRow

HEADING = (
    *("method", "what", "PopReturn", "95 %", "PopExpl", "95 %", "AggScore", "95 %"),
    *("95 % over", "calls/policy", "failed", "sandbox", "seeds"),
)
SHOWN = ("final_mixture", "best_policy", "agent")
NOTES = """\
published: as printed in arXiv:2603.10098 and arXiv:2303.03196; ± is theirs, over their runs.
95 % over: "N runs" is a t interval over runs, which tells how another seed would do; "episodes"
is of a single run and does not.
calls/policy: requests to models for each policy that joined. failed: share of generations that
were refused, unanswered, or had faults. Runs with other settings stand in lines of their own."""


def as_text(methods: Sequence[Method], others: Sequence[PublishedRow]) -> str:
    rows: list[tuple[str, ...]] = []
    for method in methods:
        rows.append(_published(method.name, method.published))
        rows += [row for group in method.measured for row in _group(group)]
        if not method.measured:
            rows.append(_padded("", "not run"))
    rows += [_published(row.method, row) for row in others]
    return f"{table(rows, HEADING, left=2)}\n\n{NOTES}"


def _published(name: str, row: PublishedRow | None) -> tuple[str, ...]:
    if row is None:
        return _padded(name, "not published")
    return _padded(
        *(name, "published", number(row.pop_return), ""),
        *(number(row.pop_expl), _plus_minus(row.pop_expl_pm)),
        *(number(row.agg_score), _plus_minus(row.agg_score_pm)),
    )


def _plus_minus(half: float | None) -> str:
    return "" if half is None else f"± {half:g}"


def _padded(*cells: str) -> tuple[str, ...]:
    return cells + ("",) * (len(HEADING) - len(cells))


def _group(group: Measured) -> list[tuple[str, ...]]:
    """A line with the settings, then one for each subject."""
    scores = [score for score in group.scores if score.subject.partition(",")[0] in SHOWN]
    lines = [_padded("", group.settings)]
    return lines + [_line(group, score, first=place == 0) for place, score in enumerate(scores)]


def _line(group: Measured, score: Score, *, first: bool) -> tuple[str, ...]:
    figures = []
    for figure in (score.pop_return, score.pop_expl, score.agg_score):
        figures += [number(figure.mean), interval(figure.low, figure.high)]
    about = (calls(group), share(group), group.sandbox_level or "unknown", seeds(group))
    return _padded(
        "", f"  {in_words(score.subject)}", *figures, over(score), *(about if first else ())
    )


def in_words(subject: str) -> str:
    """``best_policy, untuned`` for people."""
    name, _, apart = subject.partition(", ")
    untuned = " on opponents the writer was not tuned on" if apart == UNTUNED else ""
    return name.replace("_", " ") + untuned


def over(score: Score) -> str:
    return f"{score.runs} runs" if score.over is Over.RUNS else "episodes of 1 run"


def calls(group: Measured) -> str:
    """Calls per policy; for a method without policies of its own, all calls."""
    if not group.calls:
        return "none"
    if group.calls_per_policy is None:
        return f"{group.calls:,} in all"
    return f"{group.calls_per_policy:,.1f}"


def share(group: Measured) -> str:
    if group.failed_share is None:
        return "none tried"
    return f"{group.failed_share:.0%} of {group.tried:,}"


def seeds(group: Measured) -> str:
    """``1-5`` for seeds in a row, else each."""
    found = sorted(set(group.seeds))
    if len(found) > 2 and found == list(range(found[0], found[-1] + 1)):
        return f"{found[0]}-{found[-1]}"
    return " ".join(map(str, found))


def as_json(game: str, methods: Sequence[Method], others: Sequence[PublishedRow]) -> dict[str, Any]:
    """Stable keys; what is unknown is None."""
    return {
        "game": game,
        "methods": [
            {
                "oracle": str(method.oracle),
                "method": method.name,
                "published": None if method.published is None else _row_json(method.published),
                "measured": [_measured_json(group) for group in method.measured],
            }
            for method in methods
        ],
        "other_published": [_row_json(row) for row in others],
    }


def _row_json(row: PublishedRow) -> dict[str, Any]:
    return {key: value for key, value in asdict(row).items() if key != "oracle"}


def _measured_json(group: Measured) -> dict[str, Any]:
    return {
        "settings": group.settings,
        "runs": sorted(run.pk for run in group.runs),
        "seeds": group.seeds,
        "scores": [
            {**asdict(score), "over": str(score.over), "runs": score.runs} for score in group.scores
        ],
        "sandbox_level": group.sandbox_level or None,
        "calls": group.calls,
        "policies": group.policies,
        "calls_per_policy": group.calls_per_policy,
        "tried": group.tried,
        "failed": group.failed,
        "failed_share": group.failed_share,
    }
