"""The baseline ``cfr``: a chart that plays what CFR+ found, and exact figures beside sampled."""

from __future__ import annotations

from typing import Any

import pytest

from games import exact
from games.bots.cfr import cfr_plus
from games.bots.leduc import strategy
from games.leduc_tree import HIDDEN, NODES, info_code
from games.local_engine import LocalEngine
from games.players import CodePlayer
from oracles.baselines import cfr
from oracles.baselines.leduc_table import program, rounded, told
from oracles.candidate import extract
from oracles.config import RunConfig
from oracles.loop import MemoryMatchStore, Tools, fold, solve_in_memory, summary_json
from oracles.state import RunState
from oracles.writers import LazyWriters

ITERATIONS = 300


def situations() -> list[tuple[int, dict[str, Any]]]:
    """Every information set: its number, and the part of the observation that tells it."""
    return [
        (
            info_code(index, card, board),
            {
                "round": node.round + 1,
                "my_card": card,
                "public_card": -1 if board == HIDDEN else board,
                "betting": [list(actions) for actions in node.betting],
                "legal_actions": list(node.legal),
            },
        )
        for index, node in enumerate(NODES)
        for card in range(3)
        for board in ((HIDDEN,) if node.round == 0 else range(3))
    ]


def test_the_chart_holds_the_strategy_of_every_information_set() -> None:
    table = rounded(cfr_plus(ITERATIONS).strategy)
    space: dict[str, Any] = {}
    exec(program(table, made="For a test."), space)
    policy = space["Policy"](0, 2, {}, 1)
    assert len(situations()) == 288
    for code, seen in situations():
        answer = policy.answer(seen)
        assert [answer[action] / 100 for action in seen["legal_actions"]] == pytest.approx(
            table[code], abs=1e-12
        )
        assert sum(answer) == pytest.approx(100)


def test_a_rounded_row_is_a_distribution_close_to_what_was_found() -> None:
    found = cfr_plus(ITERATIONS).strategy
    table = rounded(found)
    for code, row in table.items():
        assert sum(row) == pytest.approx(1.0, abs=1e-12)
        assert row == pytest.approx(found[code], abs=1e-4)
    assert exact.exploitability(table) == pytest.approx(exact.exploitability(found), abs=1e-3)


def test_the_chart_is_a_program_that_every_check_lets_pass_and_a_person_can_read() -> None:
    source = program(rounded(cfr_plus(ITERATIONS).strategy), made="For a test.")
    assert extract(f"```python\n{source}```").source is not None
    assert max(len(line) for line in source.splitlines()) <= 100
    assert '"check raise": {' in source
    assert "# Round one went raise, call: 6 chips are in." in source


@pytest.mark.parametrize(
    ("actions", "words"),
    [((), ""), ((1, 2, 1), "check raise call"), ((2, 2), "raise raise"), ((1, 1), "check check")],
)
def test_betting_is_told_as_players_tell_it(actions: tuple[int, ...], words: str) -> None:
    assert told(actions) == words


def solved(engine: LocalEngine, **choices: Any) -> tuple[RunConfig, RunState]:
    config = RunConfig.from_json({"oracle": "cfr", "seed": 3, **choices})
    tools = Tools(engine=engine, writers=LazyWriters(), matches=MemoryMatchStore())
    return config, solve_in_memory(config, tools)


def test_leduc_is_computed_played_in_the_sandbox_and_told_exactly(engine: LocalEngine) -> None:
    config, state = solved(engine, game="leduc", cfr_iterations=ITERATIONS, evaluation_episodes=60)
    assert state.finished
    (policy,) = state.population
    assert (policy.origin, policy.faults) == ("computed", {})
    answer = summary_json(config, state)
    assert answer["exact"]["exploitability"] == pytest.approx(
        exact.exploitability(rounded(cfr_plus(ITERATIONS).strategy))
    )
    assert set(answer["exact"]["opponents"]) == {"cfr_plus", "always_call", "always_fold"}
    for score in state.held_out:
        assert score.seen is None
        assert score.untuned is None
        for opponent in score.opponents:
            value = answer["exact"]["opponents"][opponent.name]
            low, high = opponent.estimate.low, opponent.estimate.high
            assert low is not None
            assert high is not None
            wide = high - low  # twice the interval: this holds for all of them at once
            assert low - wide / 2 <= value <= high + wide / 2
    assert answer["iterations"] == []
    assert answer["best_policy"]["sha256"] == policy.player.sha256  # type: ignore[union-attr]


def test_ten_thousand_iterations_agree_with_the_published_row() -> None:
    found = cfr.compute(RunConfig.from_json({"game": "leduc", "oracle": "cfr"}))
    assert found["exact"]["pop_return"] == pytest.approx(39.8, abs=0.6)  # published: 39.8 +- 0.3
    assert found["exact"]["pop_expl"] == pytest.approx(0.0, abs=0.01)
    assert found["exact"]["exploitability"] < 0.001


def test_rock_paper_scissors_is_solved_for_one_throw_and_says_so(engine: LocalEngine) -> None:
    config, state = solved(engine, game="rrps", evaluation_episodes=2)
    assert "a single throw, not the repeated game" in state.stop_reason
    answer = summary_json(config, state)
    assert answer["exact"]["pop_return"] == answer["exact"]["exploitability"] == 0.0
    (policy,) = state.population
    assert isinstance(policy.player, CodePlayer)
    assert '"Rock": 1/3,' in policy.player.source
    assert len(state.held_out[0].opponents) == 43


def test_bots_of_the_initial_population_are_not_called_seen() -> None:
    config = RunConfig.from_json(
        {"game": "leduc", "oracle": "cfr", "initial": ["bot:always_call"], "cfr_iterations": 50}
    )
    assert fold(config, {}).population == ()
    assert [step.key for step in fold(config, {}).pending] == ["cfr/compute"]
    computed = {"cfr/compute": cfr.compute(config)}
    assert [step.key for step in fold(config, computed).pending] == ["evaluate/0/0"]


def test_exact_values_are_those_of_the_reference_bots() -> None:
    table = rounded(cfr_plus(ITERATIONS).strategy)
    found = cfr.compute(
        RunConfig.from_json({"game": "leduc", "oracle": "cfr", "cfr_iterations": ITERATIONS})
    )
    for name, value in found["exact"]["opponents"]:
        assert value == pytest.approx(exact.expected_payoff(table, strategy(name)))
