"""``cfr``: a policy computed from the game itself, without any search, and its exact figures.

Leduc Hold'em: CFR+ over one hand (Tammelin et al. 2015), played again in every hand. Repeated
Rock-Paper-Scissors is too large for it: CFR+ solves a single throw, and the run says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from fractions import Fraction
from typing import Any

import numpy as np

from games.metagame import exploitability, solve
from games.players import CodePlayer
from oracles import plan
from oracles.asking import Asking
from oracles.baselines.leduc_table import program, rounded
from oracles.config import RunConfig
from oracles.held_out import held_out_scores
from oracles.population import game_of
from oracles.state import ExactFigures, HeldOut, PolicyRecord, RunState
from oracles.steps import StepKind, StepResult, StepSpec

COMPUTE = StepSpec("cfr/compute", StepKind.COMPUTE, {}, "computing the policy with CFR+")


def fold(config: RunConfig, results: Mapping[str, StepResult]) -> RunState:
    """Compute the policy, then score it on the held-out population."""
    steps = Asking(results)
    (computed,) = steps.ask([COMPUTE])
    population: tuple[PolicyRecord, ...] = ()
    held_out: tuple[HeldOut, ...] = ()
    if computed is not None:
        population = (_record(computed),)
        held_out = held_out_scores(config, steps.ask, final=(1.0,), best=0, last=0)
    finished = computed is not None and not steps.pending
    parts = len(plan.evaluate(0, len(game_of(config).evaluation_population())))
    weights = (1.0,) if population else None
    return RunState(
        population=population,
        cells=(),
        iterations=(),
        candidates=(),
        final_sigma=weights,
        final_sigma_low=weights,
        final_sigma_high=weights,
        best_policy=0 if population else None,
        held_out=held_out,
        sandbox_level=steps.sandbox_level,
        pending=tuple(steps.pending),
        finished=finished,
        stop_reason=str(computed["note"]) if computed is not None else "",
        steps_done=steps.done,
        steps_expected=steps.done if finished else 1 + parts,
        decisions=steps.decisions,
        exact=None if computed is None else _figures(computed["exact"]),
    )


def compute(config: RunConfig) -> StepResult:
    """Do the step :data:`COMPUTE`: ``{"source", "note", "exact"}``."""
    return _COMPUTE[config.game](config)


def _record(computed: StepResult) -> PolicyRecord:
    return PolicyRecord(
        index=0,
        name="CFR+",
        origin="computed",
        player=CodePlayer(computed["source"]),
        iteration=None,
        candidate_key=None,
    )


def _figures(data: Mapping[str, Any]) -> ExactFigures:
    opponents = tuple((name, value) for name, value in data["opponents"])
    return ExactFigures(**{**data, "opponents": opponents})


def _exact(exploitability: float, unit: str, values: Mapping[str, float]) -> dict[str, object]:
    mean, worst = sum(values.values()) / len(values), min(values.values())
    figures = ExactFigures(
        exploitability=exploitability,
        exploitability_unit=unit,
        pop_return=mean,
        pop_expl=-worst,
        agg_score=mean + worst,
        opponents=tuple(values.items()),
    )
    return {**asdict(figures), "opponents": [list(pair) for pair in figures.opponents]}


def _leduc(config: RunConfig) -> StepResult:
    """The figures are those of the strategy as it is printed, in hundredths of a percent."""
    from games import exact
    from games.bots.cfr import cfr_plus
    from games.bots.leduc import strategy

    iterations = config.cfr_iterations
    printed = rounded(cfr_plus(iterations).strategy)
    worth = exact.exploitability(printed)
    names = game_of(config).evaluation_population()
    values = {name: exact.expected_payoff(printed, strategy(name)) for name in names}
    made = (
        f"Found by {iterations:,} iterations of CFR+ over one hand. The best opponent possible wins"
        f"\n    {worth:.6f} chips a hand from it in the mean."
    )
    return {
        "source": program(printed, made=made),
        "note": f"CFR+ made its {iterations:,} iterations over one hand",
        "exact": _exact(worth, "chips in one hand", values),
    }


def _rrps(config: RunConfig) -> StepResult:
    """In a game of one decision, CFR+ is regret matching+."""
    throws = ("Rock", "Paper", "Scissors")
    stage = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
    mixture = solve("regret_matching", stage)
    shares = [Fraction(float(weight)).limit_denominator(1000) for weight in mixture]
    printed = np.array([float(share) for share in shares])
    worth = exploitability(stage, printed)
    # Every throw gains the same against it, so every opponent does, whatever it plays.
    (gain,) = set((stage @ printed).tolist())
    values = {name: -1000 * gain for name in game_of(config).evaluation_population()}
    return {
        "source": _EVERY_THROW_ALIKE.format(*zip(throws, shares, strict=True)),
        "note": "CFR+ solved a single throw, not the repeated game: every throw equally often",
        "exact": _exact(worth, "points in one throw", values),
    }


_COMPUTE: Mapping[str, Callable[[RunConfig], StepResult]] = {"leduc": _leduc, "rrps": _rrps}

_EVERY_THROW_ALIKE = '''"""Rock-paper-scissors as a single throw, solved."""

import random

# What CFR+ finds for one throw: no opponent can gain against it, and it gains against none.
CHANCES = {{
    "{0[0]}": {0[1]},
    "{1[0]}": {1[1]},
    "{2[0]}": {2[1]},
}}


class Policy:
    """Draws every throw from one table and learns nothing from the throws before.

    This solves the single throw, not the game of a thousand of them: there it cannot be exploited
    either, but it exploits nobody.
    """

    def __init__(self, player, num_players, game, seed):
        self.random = random.Random(seed)

    def act(self, obs):
        """Draw one of the throws."""
        return self.random.choices(obs["legal_actions"], weights=list(CHANCES.values()))[0]
'''
