"""What a player sees before a decision, in words. The opponent's name is not among it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from games.base import Game
from games.leduc_tree import RAISE
from oracles.baselines.leduc_table import RANKS
from oracles.prompt import fill

THROWS_TOLD = 100
HANDS_TOLD = 30
"""Of the past, so much is told in full: the latest."""
_OUTCOMES = ("a tie", "won", "lost")

Observation = Mapping[str, Any]


def turn_messages(
    game: Game, seen: Observation, edited: Mapping[str, str]
) -> tuple[Mapping[str, str], ...]:
    """The chat prompt for one decision; ``edited`` has texts that stand in for built-in ones."""
    pairs = zip(seen["legal_actions"], seen["action_names"], strict=True)
    values = {
        "rules": game.rules().strip(),
        "observation": _TOLD[game.name](seen),
        "actions": ", ".join(f"{number} = {name}" for number, name in pairs),
    }
    return (
        {"role": "system", "content": fill("agent_system", edited, values)},
        {"role": "user", "content": fill("agent", edited, values)},
    )


def _rrps(seen: Observation) -> str:
    names = seen["action_names"]
    mine, theirs = seen["my_actions"], seen["opponent_actions"]
    lines = [f"Throw {len(mine) + 1} of {seen['num_throws']}. Your score: {seen['my_score']:+d}."]
    if not mine:
        return lines[0]
    first = max(0, len(mine) - THROWS_TOLD)
    lines.append(f"Throws {first + 1} to {len(mine)}, yours and your opponent's:")
    lines += [
        f"{first + number}. {names[own]}, {names[other]}: {_OUTCOMES[(own - other) % 3]}"
        for number, (own, other) in enumerate(
            zip(mine[first:], theirs[first:], strict=True), start=1
        )
    ]
    return "\n".join(lines)


def _leduc(seen: Observation) -> str:
    seat = seen["player"]
    lines = [
        f"Hand {seen['hand'] + 1} of {seen['num_hands']}; so far you have won"
        f" {seen['my_total']:+d} chips. You act {('first', 'second')[seat]} in every round.",
        f"Your card: {RANKS[seen['my_card']]}. Public card: {_card(seen['public_card'])}.",
        f"Pot: {seen['pot']} chips, {seen['my_bet']} of them yours,"
        f" {seen['opponent_bet']} your opponent's.",
        f"Betting in this hand: {_betting(seen['betting'], seat)}.",
    ]
    past = seen["past_hands"]
    if past:
        first = max(0, len(past) - HANDS_TOLD)
        lines.append(f"Hands {first + 1} to {len(past)}:")
        lines += [
            f"{number}. {_hand(hand, seat)}" for number, hand in enumerate(past[first:], first + 1)
        ]
    return "\n".join(lines)


def _hand(hand: Mapping[str, Any], seat: int) -> str:
    opponent = "not shown" if hand["opponent_card"] < 0 else RANKS[hand["opponent_card"]]
    return (
        f"You {RANKS[hand['my_card']]}, opponent {opponent}, public {_card(hand['public_card'])};"
        f" {_betting(hand['betting'], seat)}; {hand['ended']}, {hand['payoff']:+d} chips"
    )


def _card(rank: int) -> str:
    return "not turned" if rank < 0 else RANKS[rank]


def _betting(rounds: Sequence[Sequence[int]], seat: int) -> str:
    told = []
    for number, actions in enumerate(rounds):
        words = []
        for turn, action in enumerate(actions):
            who = "you" if turn % 2 == seat else "opponent"
            words.append(f"{who} {_verb(action, actions[:turn])}")
        if words:
            told.append(f"round {('one', 'two')[number]}: {', '.join(words)}")
    return "; ".join(told) or "none yet"


def _verb(action: int, before: Sequence[int]) -> str:
    if action == RAISE:
        return "raise"
    if action == 0:
        return "fold"
    return "call" if RAISE in before else "check"


_TOLD: Mapping[str, Callable[[Observation], str]] = {"rrps": _rrps, "leduc": _leduc}
