"""Evaluation, tournament and recording: the same seeds, the promised keys, the whole episode."""

from __future__ import annotations

import json

import pytest

from games.evaluate import evaluate
from games.local_engine import LocalEngine
from games.match import MatchSpec
from games.metagame import MetaGameError
from games.metrics import Estimate, estimate
from games.players import BotPlayer
from games.registry import get_game
from games.replay import record_match
from games.tournament import derive_seed, matrices
from tests.games.conftest import initial
from tests.games.policies import PAPER, policy

KEYS = {
    *("game", "game_params", "episodes", "seed", "sandbox_level", "pop_return", "pop_expl"),
    *("agg_score", "opponents", "seconds", "decisions"),
}


def test_an_evaluation_has_the_promised_keys_and_repeats(engine: LocalEngine) -> None:
    game = get_game("leduc")
    player = initial("leduc", "honest")
    first = evaluate(engine, game, player, episodes=5, seed=3)
    data = json.loads(json.dumps(first.to_json()))
    assert set(data) == KEYS
    assert [o["name"] for o in data["opponents"]] == ["cfr_plus", "always_call", "always_fold"]
    assert set(data["opponents"][0]) == {"name", "mean", "low", "high", "episodes", "faults"}
    worst = min(o["mean"] for o in data["opponents"])
    assert data["pop_expl"]["mean"] == -worst
    again = evaluate(engine, game, player, episodes=5, seed=3).to_json()
    assert {**again, "seconds": 0} == {**first.to_json(), "seconds": 0}


def test_a_bot_meets_itself_and_faults_are_counted(engine: LocalEngine) -> None:
    game = get_game("rrps")
    names = ["rockbot", "copybot"]
    bot = evaluate(engine, game, BotPlayer("rockbot"), episodes=2, seed=1, opponents=names)
    assert [o.estimate.mean for o in bot.opponents] == [0.0, -1000.0]
    faulty = policy("return 1 if obs['throw'] else 5")
    found = evaluate(engine, game, faulty, episodes=2, seed=1, opponents=names)
    assert [sum(o.faults.values()) for o in found.opponents] == [2, 2]


def test_players_meet_an_opponent_on_the_same_seed(engine: LocalEngine) -> None:
    game = get_game("rrps")
    one = evaluate(engine, game, PAPER, episodes=2, seed=1, opponents=["randbot", "markov5"])
    two = evaluate(engine, game, PAPER, episodes=2, seed=1, opponents=["markov5"])
    assert one.opponents[1].estimate == two.opponents[0].estimate


def test_cells_of_the_population_become_an_antisymmetric_matrix(engine: LocalEngine) -> None:
    players = [PAPER, BotPlayer("rockbot"), BotPlayer("randbot")]
    cells = [(1, 0), (2, 0), (2, 1)]
    specs = [MatchSpec("rrps", players[row], players[column], 3, 4) for row, column in cells]
    payoffs = [estimate(result.payoffs) for result in engine.play(specs)]
    means, errors = matrices(3, dict(zip(cells, payoffs, strict=True)))
    assert means[1, 0] == -1000.0
    assert means[0, 1] == 1000.0
    assert errors[1, 0] == 0.0
    assert errors[2, 0] == errors[0, 2] > 0
    with pytest.raises(MetaGameError, match="not played"):
        matrices(3, {(1, 0): Estimate(0.0, None, None, 1)})


def test_seeds_depend_on_their_name_and_root_alone() -> None:
    assert derive_seed(5, "cell/2/1") == derive_seed(5, "cell/2/1")
    seeds = {derive_seed(root, key) for root in (0, 1) for key in ("a", "b", "cell/2/1")}
    assert len(seeds) == 6
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_a_recording_holds_every_throw_and_adds_up(engine: LocalEngine) -> None:
    spec = MatchSpec("rrps", initial("rrps", "uniform"), BotPlayer("rockbot"), 3, 1)
    recording = record_match(engine, spec)
    assert recording.result.payoffs == engine.play([spec])[0].payoffs
    for episode, payoff in zip(recording.episodes, recording.result.payoffs, strict=True):
        throws = zip(episode.moves["throws"], episode.moves["opponent_throws"], strict=True)
        assert sum((0, 1, -1)[(mine - theirs) % 3] for mine, theirs in throws) == payoff
    data = recording.to_json()
    assert json.loads(json.dumps(data)) == data


def test_a_recorded_leduc_episode_is_played_from_both_seats_on_the_same_cards(
    engine: LocalEngine,
) -> None:
    spec = MatchSpec("leduc", initial("leduc", "bully"), BotPlayer("uniform"), 2, 1)
    recording = record_match(engine, spec)
    assert [(e.index, e.swapped) for e in recording.episodes] == [
        (0, False),
        (0, True),
        (1, False),
        (1, True),
    ]
    forth, back = recording.episodes[:2]
    assert [hand["cards"] for hand in forth.moves] == [hand["cards"] for hand in back.moves]
    assert sum(hand["payoff"] for hand in forth.moves) == forth.payoff
    assert -sum(hand["payoff"] for hand in back.moves) == back.payoff
    assert recording.result.payoffs[0] == (forth.payoff + back.payoff) / 2
