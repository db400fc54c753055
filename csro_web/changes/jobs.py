"""Plays trials: the edit and its parent on the same seeds. Nothing of the run is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csro_web.changes import trials
from csro_web.jobs.kinds import JobRefused, Result, Surroundings, handles
from csro_web.jobs.models import Job
from csro_web.policies.models import Policy
from csro_web.runs.matches import DatabaseMatchStore
from games.match import MatchResult, MatchSpec
from oracles.edit_trial import SMOKE, EditTrial, faults_of, hopeless
from oracles.matches import play_matches


class _Telling(DatabaseMatchStore):
    """Says which opponents are through as their matches arrive, played now or long ago."""

    def __init__(self, plan: EditTrial, surroundings: Surroundings, level: str) -> None:
        self._plan = plan
        self._surroundings = surroundings
        self._level = level
        self._names: dict[str, list[str]] = {}
        self.known: dict[str, MatchResult] = {}

    def expect(self, specs: Mapping[str, MatchSpec], keys: Mapping[str, str]) -> None:
        for name in specs:
            self._names.setdefault(keys[name], []).append(name)

    def get(self, keys: Any) -> Mapping[str, MatchResult]:
        found = super().get(keys)
        self._learn(found)
        return found

    def put(self, results: Mapping[str, tuple[MatchSpec, MatchResult]]) -> None:
        super().put(results)
        self._learn({key: result for key, (_, result) in results.items()})

    def _learn(self, found: Mapping[str, MatchResult]) -> None:
        for key, result in found.items():
            self.known.update(dict.fromkeys(self._names.get(key, ()), result))
        report = self._plan.report(self.known)
        self._surroundings.report(
            done=len(report["rows"]),
            total=len(self._plan.opponents),
            words="playing the edit and what it was edited from",
            partial={**report, "level": self._level},
        )


@handles(trials.KIND, words="a trial")
def play_trial(job: Job, surroundings: Surroundings) -> Result:
    """Rows as :meth:`oracles.edit_trial.EditTrial.report` gives them, heaviest opponent first."""
    try:
        plan = trials.plan_of(job.inputs)
    except (Policy.DoesNotExist, KeyError) as error:
        raise JobRefused("a policy of this trial is not there any more; try the edit anew") from (
            error
        )
    engine = surroundings.engine()
    level = str(engine.level)
    surroundings.report(done=0, total=len(plan.opponents), words="one episode to see that it plays")
    (first,) = play_matches(
        {SMOKE: plan.smoke()}, engine, DatabaseMatchStore(), surroundings.should_stop
    )
    why = hopeless(first.result.a)
    if why:
        return {**plan.report({}), "level": level, "hopeless": why, **faults_of(first.result.a)}
    specs = plan.specs()
    store = _Telling(plan, surroundings, level)
    store.expect(specs, {name: spec.key(engine.level) for name, spec in specs.items()})
    played = play_matches(specs, engine, store, surroundings.should_stop)
    results = {one.name: one.result for one in played}
    return {**plan.report(results), "level": level, "hopeless": ""}
