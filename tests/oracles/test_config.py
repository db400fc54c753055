"""A run that cannot be is refused with the field, the value and what would do."""

from __future__ import annotations

import json

import pytest

from oracles.config import ConfigError, OracleName, RunConfig, SolverName, WriterName


def test_json_round_trip() -> None:
    config = RunConfig.from_json(
        {"game": "leduc", "params": {"reveal": "always"}, "seed": 2**60, "oracle": "zero_shot"}
    )
    assert config.oracle is OracleName.ZERO_SHOT
    assert RunConfig.from_json(json.loads(json.dumps(config.to_json()))) == config


def test_only_the_game_is_needed_and_it_brings_its_own_defaults() -> None:
    rrps, leduc = (RunConfig.from_json({"game": name}) for name in ("rrps", "leduc"))
    assert rrps.writer is WriterName.GRAMMAR
    assert rrps.training_solver is SolverName.NASH
    assert rrps.episodes < leduc.episodes
    assert rrps.target == 1000


def test_params_are_filled_in_by_the_game() -> None:
    assert RunConfig(game="leduc").params["reveal"] == "showdown"
    assert RunConfig(game="leduc") == RunConfig(game="leduc", params={"reveal": "showdown"})


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"game": "chess"}, "rrps"),
        ({"params": {"cards": 9}}, "cards"),
        ({"params": "reveal"}, "params"),
        ({"iterations": 0}, "iterations is 0; it must be a whole number from 1 to 200"),
        ({"iterations": 2.5}, "2.5"),
        ({"iterations": True}, "True"),
        ({"episodes": 0}, "from 1 to 10000"),
        ({"evaluation_episodes": 20_000}, "20000"),
        ({"refinements": -1}, "from 1 to 100"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**63}, "seed"),
        ({"seed": "7"}, "seed"),
        ({"target": float("nan")}, "target"),
        ({"target": "high"}, "target"),
        ({"oracle": "alpha"}, "zero_shot, best_of_n, linear_refinement"),
        ({"writer": None}, "grammar"),
        ({"context": "everything"}, "code, summary, none"),
        ({"opponents": 5}, "top5"),
        ({"training_solver": "cfr"}, "nash"),
        ({"allow_faulty": "yes"}, "allow_faulty"),
        ({"initial": "uniform"}, "list of names"),
        ({"initial": ["nobody"]}, "uniform"),
        ({"initial": ["bot:nobody"]}, "bot:NAME"),
        ({"initial": ["uniform", "uniform"]}, "once"),
        ({"initial": [3]}, "3"),
        ({"writer": "replay"}, "recording"),
        ({"speed": 3}, "speed"),
    ],
)
def test_wrong_field_is_named_with_what_would_do(changes: dict[str, object], told: str) -> None:
    with pytest.raises(ConfigError) as refused:
        RunConfig.from_json({"game": "rrps", **changes})
    assert told in str(refused.value)


def test_game_is_needed() -> None:
    with pytest.raises(ConfigError, match="game is missing"):
        RunConfig.from_json({"seed": 1})


def test_something_must_stay_held_out() -> None:
    everyone = [f"bot:{name}" for name in ("always_call", "always_fold", "cfr_plus")]
    game = RunConfig(game="leduc")
    from oracles.population import game_of

    everyone = [f"bot:{name}" for name in game_of(game).evaluation_population()]
    with pytest.raises(ConfigError, match="held out"):
        RunConfig(game="leduc", initial=tuple(everyone))
    assert RunConfig(game="leduc", initial=tuple(everyone[1:])).initial == tuple(everyone[1:])
