"""Names, parameters and texts of the games."""

from __future__ import annotations

import ast

import pytest

from games.base import GameError
from games.registry import game_names, get_game


def test_unknown_game_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(GameError, match=r"'chess'.*rrps, leduc"):
        get_game("chess")


def test_leduc_reveals_at_the_showdown_by_default_and_refuses_other_words() -> None:
    assert get_game("leduc").params == {"reveal": "showdown"}
    assert get_game("leduc", {"reveal": "always"}).params == {"reveal": "always"}
    with pytest.raises(GameError, match="showdown, always"):
        get_game("leduc", {"reveal": "never"})
    with pytest.raises(GameError, match="hands"):
        get_game("leduc", {"hands": 3})


def test_rrps_takes_no_parameter() -> None:
    with pytest.raises(GameError, match="num_throws"):
        get_game("rrps", {"num_throws": 10})


def test_games_with_equal_name_and_parameters_are_equal() -> None:
    assert get_game("leduc") == get_game("leduc", {"reveal": "showdown"})
    assert len({get_game("leduc"), get_game("leduc"), get_game("rrps")}) == 2


@pytest.mark.parametrize("name", game_names())
def test_the_described_observation_is_the_one_in_the_text(name: str) -> None:
    game = get_game(name)
    text = game.policy_api()
    for field in game.example_observation():
        assert f'"{field}"' in text
        assert field in text.split("Example")[0]


@pytest.mark.parametrize("name", game_names())
def test_initial_policies_are_readable_and_none_of_them_is_an_evaluation_bot(name: str) -> None:
    game = get_game(name)
    policies = game.initial_population()
    assert "uniform" in {policy.name for policy in policies}
    assert len(policies) >= 3
    assert not {policy.name for policy in policies} & set(game.evaluation_population())
    for policy in policies:
        tree = ast.parse(policy.source)
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        assert [node.name for node in classes] == ["Policy"]
        assert ast.get_docstring(classes[0])
