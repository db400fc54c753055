"""Challenges: an exploiter of a frozen opponent is found, and none where there is none."""

from __future__ import annotations

from typing import Any

import pytest

from games.bots.leduc import strategy
from games.exact import best_response_value
from games.local_engine import LocalEngine
from games.registry import get_game
from oracles.challenge import lower_bound
from oracles.config import ConfigError, RunConfig
from oracles.loop import MemoryMatchStore, Tools, fold, solve_in_memory
from oracles.state import RunState
from oracles.steps import StepResult
from oracles.writers import LazyWriters

FREQUENCY = '''
class Policy:
    """Beats the opponent's most frequent throw."""

    def act(self, obs):
        theirs = obs["opponent_actions"]
        counts = [theirs.count(throw) for throw in range(3)]
        return (counts.index(max(counts)) + 1) % 3
'''


def config(**changes: Any) -> RunConfig:
    return RunConfig.from_json(
        {"game": "rrps", "iterations": 1, "refinements": 6, "seed": 3, **changes}
    )


def solved(engine: LocalEngine, config: RunConfig) -> tuple[RunState, dict[str, StepResult]]:
    results: dict[str, StepResult] = {}
    tools = Tools(engine=engine, writers=LazyWriters(), matches=MemoryMatchStore())
    state = solve_in_memory(
        config, tools, lambda step, result, _: results.update({step.key: result})
    )
    return state, results


def test_a_frequency_policy_is_exploited_almost_completely(engine: LocalEngine) -> None:
    asked = config(challenge=[{"name": "frequency", "source": FREQUENCY}], iterations=2)
    state, results = solved(engine, asked)
    bound = lower_bound(state)
    assert bound.found
    assert bound.value > 900
    assert bound.gain is not None
    assert bound.gain.low is not None
    assert bound.gain.low > 900
    assert not {key for key in results if "solve" in key or "evaluate" in key or "initial" in key}
    assert state.finished
    assert state.held_out == ()
    assert [item.sigma for item in state.iterations] == [(1.0,), (1.0,)], "tries are independent"
    assert {(cell.row, cell.column) for cell in state.cells} == {(1, 0), (2, 0)}
    assert state.decisions is not None
    assert state.decisions >= 2000 * 10 * 2
    assert fold(asked, results) == state


def test_nobody_exploits_uniform_play_and_the_bound_is_zero(engine: LocalEngine) -> None:
    uniform = next(p for p in get_game("rrps").initial_population() if p.name == "uniform")
    asked = config(
        challenge=[{"name": "uniform", "source": uniform.source}], refinements=3, episodes=20
    )
    state, _ = solved(engine, asked)
    bound = lower_bound(state)
    assert bound.gain is not None
    assert bound.gain.low is not None
    assert bound.gain.high is not None
    assert bound.gain.low < 5
    assert bound.gain.high > -5
    assert bound.value == 0 or bound.gain.low < 10, "by chance alone, and then by little"


@pytest.mark.parametrize("bot", ["always_call", "always_fold"])
def test_a_lower_bound_does_not_pass_the_exact_exploitability(
    bot: str, engine: LocalEngine
) -> None:
    asked = config(game="leduc", challenge=[{"name": bot, "bot": bot}], episodes=64)
    state, _ = solved(engine, asked)
    bound = lower_bound(state)
    exact = best_response_value(strategy(bot))
    assert bound.gain is not None
    assert bound.gain.low is not None
    assert bound.found
    assert bound.gain.low <= exact
    assert bound.value > exact / 3, "and it is no idle one"


def test_a_mixture_is_met_by_its_weights(engine: LocalEngine) -> None:
    asked = config(
        challenge=[
            {"name": "rock", "bot": "rockbot", "weight": 3},
            {"name": "frequency", "source": FREQUENCY},
        ],
        refinements=2,
    )
    state, _ = solved(engine, asked)
    assert state.iterations[0].sigma == (0.75, 0.25)
    (candidate, *_) = [record for record in state.candidates if record.per_opponent]
    assert [row["weight"] for row in candidate.per_opponent] == [0.75, 0.25]


def test_the_bound_is_that_of_the_best_search_not_of_the_luckiest_episodes(
    engine: LocalEngine,
) -> None:
    asked = config(challenge=[{"name": "f", "source": FREQUENCY}], iterations=3, refinements=1)
    state, _ = solved(engine, asked)
    score = {c.iteration: c.score.mean for c in state.candidates if c.score}
    best = max(score, key=lambda iteration: score[iteration])
    assert lower_bound(state).gain == state.iterations[best - 1].gain


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"oracle": "cfr"}, "no best responses"),
        ({"initial": ["uniform", "mostly_paper"]}, "leave out the others"),
        ({"split": 3}, "leave out the others"),
        ({"challenge": [{"name": "x", "bot": "nobody"}]}, "no bot named 'nobody'"),
        ({"challenge": [{"name": "x"}]}, "either a program or a bot"),
    ],
)
def test_what_cannot_be_challenged_is_said(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        config(**{"challenge": [{"name": "f", "source": FREQUENCY}], **changes})
