"""What an agent is told, and which of its answers count."""

from __future__ import annotations

import pytest

from games.registry import get_game
from oracles.baselines.llm_agent.reading import read_action
from oracles.baselines.llm_agent.telling import turn_messages

RRPS = get_game("rrps", {})
LEDUC = get_game("leduc", {})
CHECK_OR_RAISE = {"legal_actions": [1, 2], "action_names": ["Check", "Raise"]}


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("Raise", 2),
        (" raise.\n", 2),
        ("**Check**", 1),
        ("1", 1),
        ("`2`", 2),
        ("<think>Fold? No, raise.</think>\nCheck", 1),
        ("Fold", None),
        ("0", None),
        ("I would raise here.", None),
        ("Not raise", None),
        ("Check or Raise", None),
        ("<think>Raise", None),
        ("", None),
        ("Raise\nRaise", None),
        ("12", None),
    ],
)
def test_an_answer_is_one_name_or_number_alone(text: str, action: int | None) -> None:
    assert read_action(text, CHECK_OR_RAISE) == action


def test_a_throw_is_asked_for_with_what_happened_so_far() -> None:
    system, user = turn_messages(RRPS, RRPS.example_observation(), {})
    assert system["role"] == "system"
    assert "Throw 4 of 1000. Your score: +0." in user["content"]
    assert (
        "1. Rock, Paper: lost\n2. Paper, Rock: won\n3. Scissors, Scissors: a tie"
        in (user["content"])
    )
    assert "Legal actions: 0 = Rock, 1 = Paper, 2 = Scissors." in user["content"]


def test_a_hand_is_told_as_poker_players_tell_it() -> None:
    _, user = turn_messages(LEDUC, LEDUC.example_observation(), {})
    for line in (
        "Hand 3 of 100; so far you have won -4 chips. You act second in every round.",
        "Your card: Queen. Public card: Jack.",
        "Betting in this hand: round one: opponent raise, you call; round two: opponent raise.",
        "1. You King, opponent not shown, public not turned;"
        " round one: opponent check, you raise, opponent fold; opponent fold, +1 chips",
        "Legal actions: 0 = Fold, 1 = Call, 2 = Raise.",
    ):
        assert line in user["content"]


def test_a_long_past_is_told_in_its_latest_part() -> None:
    seen = {**RRPS.example_observation(), "my_actions": [0] * 250, "opponent_actions": [1] * 250}
    _, user = turn_messages(RRPS, seen, {})
    assert (
        "Throws 151 to 250, yours and your opponent's:\n151. Rock, Paper: lost" in (user["content"])
    )


def test_the_text_of_a_turn_can_be_another() -> None:
    edited = {"agent": "$rules $observation $actions Be bold."}
    assert turn_messages(RRPS, RRPS.example_observation(), edited)[1]["content"].endswith("bold.")
