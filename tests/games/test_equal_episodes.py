"""A few equal episodes are no certainty, unless nothing in their match could go otherwise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from games.fixed import may_draw, payoff_bound
from games.local_engine import LocalEngine
from games.match import MatchSpec
from games.metrics import (
    Estimate,
    bootstrap_means,
    difference_bound,
    estimate,
    population_score,
    unseen_share,
    weighted_mean,
)
from games.players import BotPlayer, CodePlayer, MixturePlayer, Player

STEADY = """
class Policy:
    def __init__(self, player: int, num_players: int, game: dict, seed: int) -> None:
        self._throws = 0

    def act(self, obs: dict) -> int:
        self._throws += 1
        return self._throws % 3
"""
ACT = "    def act(self, obs):\n        return 0\n"


def test_ten_equal_episodes_leave_one_in_four_open() -> None:
    assert unseen_share(10) == pytest.approx(0.2589, abs=1e-4)
    assert (1 - unseen_share(10)) ** 10 == pytest.approx(0.05)
    found = estimate([990.0] * 10, bound=1000.0)
    share = unseen_share(10)
    expected = Estimate(990.0, 990 - 1990 * share, 990 + 10 * share, 10)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    # Whoever takes it for a normal error takes its longer side.
    assert found.standard_error is not None
    assert found.standard_error * 2.2622 == pytest.approx(1990 * share, rel=1e-4)


def test_what_cannot_vary_is_exact_and_one_episode_stays_unknown() -> None:
    assert estimate([7.0] * 10, bound=0.0) == Estimate(7.0, 7.0, 7.0, 10)
    assert estimate([7.0], bound=1000.0) == Estimate(7.0, None, None, 1)


def test_payoffs_that_differ_keep_students_interval() -> None:
    payoffs = [[1.0, 5.0, 2.0], [3.0, -2.0, 0.0]]
    assert estimate(payoffs[0], bound=1000.0) == estimate(payoffs[0])
    assert weighted_mean(payoffs, [0.5, 0.5], bounds=[1000.0] * 2) == weighted_mean(
        payoffs, [0.5, 0.5]
    )
    assert population_score(payoffs, bounds=[1000.0] * 2) == population_score(payoffs)


def test_one_lucky_match_widens_the_mean_by_its_share() -> None:
    payoffs = [[10.0, 14.0, 12.0, 16.0], [990.0] * 4]
    narrow = weighted_mean(payoffs, [0.9, 0.1])
    wide = weighted_mean(payoffs, [0.9, 0.1], bounds=[1000.0, 1000.0])
    assert narrow.low is not None
    assert wide.low is not None
    assert wide.high is not None
    lucky = 0.1 * 1990 * unseen_share(4)
    assert wide.mean - wide.low == pytest.approx(np.hypot(narrow.mean - narrow.low, lucky))
    assert wide.high - wide.mean < wide.mean - wide.low


def test_draws_of_equal_episodes_have_the_percentiles_of_their_interval() -> None:
    drawn = bootstrap_means([[200.0] * 20], draws=100_000, bounds=[1000.0])[:, 0]
    found = estimate([200.0] * 20, bound=1000.0)
    assert found.low is not None
    assert found.high is not None
    assert np.quantile(drawn, [0.025, 0.975]) == pytest.approx([found.low, found.high], abs=3)


def disaster(rate: float, episodes: int) -> Callable[[np.random.Generator], list[float]]:
    """990 in most episodes, and -1000 in the others."""
    return lambda generator: list(np.where(generator.random(episodes) < rate, -1000.0, 990.0))


@pytest.mark.parametrize("episodes", [4, 10, 20])
@pytest.mark.parametrize("rate", [0.01, 0.02, 0.05, 0.1])
def test_the_interval_holds_where_all_episodes_seemed_equal(episodes: int, rate: float) -> None:
    """Student's alone would hold in 8, 18 and 33 of 100 samples at a rate of 0.02."""
    generator = np.random.default_rng(11)
    make, truth = disaster(rate, episodes), 990 - 1990 * rate
    samples = [make(generator) for _ in range(2000)]
    held = [
        found.low is not None and found.high is not None and found.low <= truth <= found.high
        for found in (estimate(payoffs, bound=1000.0) for payoffs in samples)
    ]
    assert np.mean(held) >= 0.95


def test_pop_return_holds_where_rows_seemed_equal() -> None:
    generator = np.random.default_rng(12)
    rate = 0.05
    hits = 0
    for _ in range(200):
        rows = [disaster(rate, 10)(generator) for _ in range(8)]
        found = population_score(rows, bounds=[1000.0] * 8).pop_return
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 990 - 1990 * rate <= found.high
    assert hits / 200 >= 0.95


def test_the_worst_opponent_is_no_certainty_because_its_episodes_were_equal() -> None:
    found = population_score([[990.0] * 10, [3.0] * 10, [500.0] * 10], bounds=[0, 1000.0, 0])
    share = unseen_share(10)
    assert found.pop_expl.mean == -3.0
    assert found.pop_expl.high == pytest.approx(-3 + 1003 * share, abs=30)
    assert found.pop_expl.low == pytest.approx(-3 - 997 * share, abs=30)


def test_differences_may_be_twice_as_large_as_payoffs() -> None:
    assert difference_bound(0.0, 0.0) == 0.0
    assert difference_bound(1000.0, 0.0) == 2000.0


@pytest.mark.parametrize(
    "source",
    [
        "import random\nclass Policy:\n" + ACT,
        "from random import choice\nclass Policy:\n" + ACT,
        "from numpy.random import default_rng as make\nclass Policy:\n" + ACT,
        "import numpy as np\nclass Policy:\n    x = np.random\n" + ACT,
        "from statistics import *\nclass Policy:\n" + ACT,
        "import statistics\nD = statistics.NormalDist().samples(3)\nclass Policy:\n" + ACT,
        "class Policy:\n    def __init__(self, player, num_players, game, seed):\n"
        "        self.x = seed\n" + ACT,
        "class Policy:\n    def __init__(self, a, b, c, d):\n        self.x = d\n" + ACT,
        "class Policy:\n    def __init__(self, *given):\n        self.x = given\n" + ACT,
        "class Policy:\n    def __new__(cls, a, b, c, d):\n        return cls\n" + ACT,
        "from dataclasses import dataclass\n@dataclass\nclass Policy:\n    a: int\n    b: int\n"
        "    c: dict\n    d: int\n" + ACT,
        "class Base:\n    pass\nclass Policy(Base):\n" + ACT,
        "class Other:\n" + ACT + "Policy = Other\n",
        "import collections\nclass Policy:\n    s = collections._sys\n" + ACT,
        "import enum\nclass Policy:\n    s = enum.sys\n" + ACT,
        "class Policy:\n    def act(self, obs):\n        return id(obs) % 3\n",
        "class Policy:\n    def act(self, obs):\n        return getattr(self, 'x')\n",
        "class Policy:\n    def act(self, obs):\n        return ().__class__\n",
        "class Policy:\n    def act(self, obs):\n        return '{0.__class__}'.format(obs)\n",
        "class Policy:\n    def act(self, obs):\n        return (x for x in obs).gi_frame.f_back\n",
        "class Policy:\n    def act(self, obs)\n",
    ],
)
def test_a_program_that_could_reach_its_seed_may_draw(source: str) -> None:
    assert may_draw(source)


def test_a_program_that_only_looks_at_the_game_does_not_draw() -> None:
    assert not may_draw(STEADY)
    assert not may_draw("import math, numpy as np\nclass Policy:\n" + ACT)


CODE, DRAWING = CodePlayer(STEADY), CodePlayer("import random\n" + STEADY)
ROCK, RANDOM = BotPlayer("rockbot"), BotPlayer("randbot")


@pytest.mark.parametrize(
    ("game", "a", "b", "bound"),
    [
        ("rrps", ROCK, BotPlayer("pibot"), 0.0),
        ("rrps", CODE, ROCK, 0.0),
        ("rrps", CODE, RANDOM, 1000.0),
        ("rrps", DRAWING, ROCK, 1000.0),
        ("rrps", MixturePlayer(((0.5, CODE), (0.5, ROCK))), ROCK, 1000.0),
        ("leduc", CODE, BotPlayer("always_call"), 1300.0),
        ("leduc", BotPlayer("always_call"), BotPlayer("always_call"), 0.0),
        ("leduc", BotPlayer("cfr_plus"), BotPlayer("cfr_plus"), 1300.0),
    ],
)
def test_only_matches_without_any_luck_are_exact(
    game: str, a: Player, b: Player, bound: float
) -> None:
    spec = MatchSpec(game, a, b, 4, 1)
    assert payoff_bound(spec) == bound
    assert payoff_bound(spec, reproducible=False) > 0


def test_what_is_said_to_be_exact_pays_the_same_in_every_episode(engine: LocalEngine) -> None:
    specs = [
        MatchSpec("rrps", CODE, ROCK, 12, 5),
        MatchSpec("rrps", CODE, BotPlayer("copybot"), 12, 5),
        MatchSpec("leduc", BotPlayer("always_call"), BotPlayer("always_call"), 12, 5),
    ]
    for spec, result in zip(specs, engine.play(specs), strict=True):
        assert payoff_bound(spec) == 0.0
        assert len(set(result.payoffs)) == 1
