"""The opponents' part of a prompt keeps to its size: the lightest are dropped, and it is said."""

from __future__ import annotations

import pytest

from games.players import CodePlayer
from oracles.config import ContextMode, OpponentChoice, RunConfig
from oracles.context import OpponentContext, opponent_context
from oracles.state import PolicyRecord
from oracles.tokens import estimated_tokens
from tests.oracles.conftest import FinishedRun

SIGMA = (0.1, 0.4, 0.2, 0.3)


def program(index: int, lines: int = 40) -> str:
    body = "\n".join(f"        value_{number} = {number}" for number in range(lines))
    return f"class Policy:\n    def act(self, obs):\n{body}\n        return {index % 3}\n"


def context(limit: int | None) -> OpponentContext:
    population = [
        PolicyRecord(index, f"policy {index}", "initial", CodePlayer(program(index)), None, None)
        for index in range(4)
    ]
    config = RunConfig(game="rrps", opponents=OpponentChoice.ALL, context_tokens=limit)
    return opponent_context(config, population, SIGMA)


def test_without_a_limit_all_are_shown() -> None:
    whole = context(None)
    assert (whole.shown, whole.dropped, whole.limit) == ((1, 3, 2, 0), (), None)
    assert whole.tokens == pytest.approx(estimated_tokens(whole.describe()), abs=10)
    assert "left out" not in whole.describe()


def test_the_lightest_are_dropped_first_and_the_prompt_says_so() -> None:
    whole = context(None)
    cut = context(whole.tokens - 1)
    assert (cut.shown, cut.dropped) == ((1, 3, 2), (0,))
    half = context(whole.tokens * 6 // 10)
    assert (half.shown, half.dropped) == ((1, 3), (2, 0))
    assert half.tokens <= whole.tokens * 6 // 10
    assert "2 further opponents, the lightest, are left out" in half.describe()
    assert "weight 0.300" in half.describe()
    assert half.to_json()["dropped"] == [2, 0]


def test_where_not_even_the_heaviest_fits_none_is_shown() -> None:
    none = context(100)
    assert (none.views, none.dropped, none.tokens) == ((), (1, 3, 2, 0), 0)
    assert none.describe().startswith("4 further opponents")


def test_a_limit_means_nothing_where_opponents_are_hidden() -> None:
    config = RunConfig(game="rrps", context=ContextMode.NONE, context_tokens=100)
    assert opponent_context(config, [], SIGMA) == OpponentContext()


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("", 0),
        ("a plain sentence of seven words here", 7),
        ("x" * 4000, 1000),
        ("31415926535897932384", 20),
        ("日本語" * 10, 60),
        ("    return self.counts[obs['my_card']]", 14),
    ],
)
def test_the_estimate_is_at_least_what_vocabularies_need(text: str, least: int) -> None:
    assert least <= estimated_tokens(text) <= 2 * least + 10


def test_the_estimate_grows_with_the_text() -> None:
    assert estimated_tokens(program(1)) + estimated_tokens("\n" + program(2)) >= estimated_tokens(
        program(1) + "\n" + program(2)
    )


def test_what_a_prompt_showed_is_recorded_with_its_version(finished: FinishedRun) -> None:
    for record in finished.state.candidates:
        written = finished.results[f"{record.key}/write"]
        assert record.prompt_version == written["prompt_version"]
        assert len(record.prompt_version or "") == 64
        assert record.context_use["dropped"] == []
        assert record.context_use["shown"]
    joined = next(policy for policy in finished.state.population if policy.candidate_key)
    assert joined.parents == tuple(
        finished.state.candidate(joined.candidate_key or "").context_use["shown"]
    )
