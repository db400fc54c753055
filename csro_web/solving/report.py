"""What ``./csro solve`` prints at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings

from csro_web.cli.output import interval, number, table, write_text
from csro_web.environment import make_directory
from csro_web.runs import steps
from csro_web.runs.comparison import METRICS, mean_over_runs
from csro_web.runs.models import Run
from csro_web.solving.published import PUBLISHED
from games.players import CodePlayer
from oracles.config import RunConfig
from oracles.loop import summary_json
from oracles.state import RunState

HEADING = ("PopReturn", "95 %", "PopExpl", "95 %", "AggScore", "95 %")
SUBJECTS = {
    "final_mixture": "final mixture",
    "best_policy": "best policy",
    "last_policy": "last policy",
    "agent": "agent",
}


APART = {
    "untuned": "opponents the writer was not tuned on",
    "seen": "opponents the run trained against",
}
"""Parts of the opponents that are scored apart."""


def summary(run: Run, seconds: float) -> dict[str, Any]:
    """The JSON answer of one run; its generated policies are written out as files."""
    config = RunConfig.from_json(run.config)
    state = steps.known_state(run)
    return summary_json(config, state, run=run.pk, paths=write_policies(state), seconds=seconds)


def write_policies(state: RunState) -> dict[str, str]:
    """A file for every program of the population, named by its hash: sha256 -> path."""
    folder = make_directory(Path(settings.DATA_DIR) / "policies")
    paths = {}
    for record in state.population:
        if isinstance(record.player, CodePlayer):
            path = folder / f"{record.player.sha256}.py"
            if not path.exists():
                write_text(path, record.player.source)
            paths[record.player.sha256] = str(path)
    return paths


def results_table(game: str, answers: Sequence[Mapping[str, Any]]) -> str:
    """Every subject's held-out metrics with intervals, and the published rows under them."""
    rows: list[tuple[str, ...]] = []
    for answer in answers:
        for subject, words in SUBJECTS.items():
            found = _scored(answer, subject)
            if found is not None:
                rows.append((f"run {answer['run']}: {words}", *_cells(found)))
                rows += [
                    (f"  {words}", *_cells(found[part]))
                    for part, words in APART.items()
                    if found[part] is not None
                ]
        if answer["agent"] is not None:
            rows += [(f"  {line}",) + ("",) * 6 for line in sample_of(answer["agent"])]
        exact = answer["exact"]
        if exact is not None:
            rows.append((f"run {answer['run']}: exact, not sampled", *_exact_cells(exact)))
    if len(answers) > 1:
        for subject, found in over_runs(answers).items():
            rows.append((f"{len(answers)} runs: {SUBJECTS[subject]}", *_cells(found)))
    for row in PUBLISHED.get(game, ()):
        figures = (row.pop_return, row.pop_expl, row.agg_score)
        cells = (cell for figure in figures for cell in (number(figure), ""))
        rows.append((f"published: {row.method}", *cells))
    return table(rows, ("", *HEADING))


def sample_of(agent: Mapping[str, Any]) -> list[str]:
    """What the figures of an agent rest on, in lines."""
    return [
        f"rests on {agent['units']:,} {agent['unit']} ({agent['turns_asked']:,} turns asked,"
        f" {agent['calls']:,} calls)",
        f"against {agent['opponents']} of {agent['opponents_of']} opponents, scaled to"
        f" {agent['units_per_episode']:,} {agent['unit']}",
        *(f"cut short: {why}" for why in agent["stopped"]),
    ]


def _scored(answer: Mapping[str, Any], subject: str) -> Mapping[str, Any] | None:
    """The subject's figures; None without the subject, or when nothing of it was played."""
    found: Mapping[str, Any] | None = answer.get(subject)
    return None if found is None or found["pop_return"] is None else found


def _cells(metrics: Mapping[str, Any]) -> tuple[str, ...]:
    found = []
    for name in METRICS:
        estimate = metrics[name]
        found += [number(estimate["mean"]), interval(estimate["low"], estimate["high"])]
    return tuple(found)


def _exact_cells(figures: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(cell for name in METRICS for cell in (number(figures[name]), ""))


def over_runs(answers: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Means over runs with t intervals (95 %), for what every run has a figure for."""
    found: dict[str, dict[str, Any]] = {}
    for subject in SUBJECTS:
        scores = [_scored(answer, subject) for answer in answers]
        known = [score for score in scores if score is not None]
        if len(known) == len(answers):
            found[subject] = {
                name: asdict(
                    mean_over_runs(
                        name, [score[name]["mean"] for score in known], game=answers[0]["game"]
                    )
                )
                for name in METRICS
            }
    return found


def as_json(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One run's answer as it is; several with the figures over runs."""
    if len(answers) == 1:
        return dict(answers[0])
    return {"runs": list(answers), "over_runs": over_runs(answers)}


def set_table(found: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """The figures of each condition, and what their intervals are over."""
    rows: list[tuple[str, ...]] = []
    for condition, answers in _by_condition(found).items():
        several = len(answers) > 1
        over = f"{len(answers)} runs" if several else "episodes of 1 run"
        found_over = over_runs(answers) if several else {}
        for subject, words in SUBJECTS.items():
            figures = found_over.get(subject) if several else _scored(answers[0], subject)
            if figures is not None:
                rows.append((condition, words, over, *_cells(figures)))
    heading = ("condition", "", "95 % over", *HEADING)
    return table(rows, heading, left=3)


def set_json(
    number: int, prepared: str, found: Sequence[tuple[str, Mapping[str, Any]]]
) -> dict[str, Any]:
    """The runs by condition; ``over_runs`` is empty where a condition has a single run."""
    conditions = [
        {
            "condition": condition,
            "runs": answers,
            "over_runs": over_runs(answers) if len(answers) > 1 else {},
        }
        for condition, answers in _by_condition(found).items()
    ]
    return {"set": number, "prepared": prepared, "conditions": conditions}


def _by_condition(
    found: Sequence[tuple[str, Mapping[str, Any]]],
) -> dict[str, list[Mapping[str, Any]]]:
    grouped: dict[str, list[Mapping[str, Any]]] = {}
    for condition, answer in found:
        grouped.setdefault(condition, []).append(answer)
    return grouped
