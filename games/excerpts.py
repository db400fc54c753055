"""Short excerpts of recorded episodes: where most was lost, in the words of the interface."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from games.replay import Episode

WINDOW = 24
"""Throws of RRPS that an excerpt shows."""
HANDS = 3
"""Hands of Leduc that an excerpt shows."""
_LETTERS = "RPS"
_CARDS = ("Jack", "Queen", "King")
_FOLD, _CALL, _RAISE = 0, 1, 2


def costliest_throws(moves: Mapping[str, Sequence[int]]) -> str:
    """The stretch of :data:`WINDOW` throws with the lowest score, the earliest of equal ones.

    ``moves`` is the record of RRPS: ``{"throws", "opponent_throws"}``, 0 to 2 each.
    """
    own, other = moves["throws"], moves["opponent_throws"]
    gains = [(0, 1, -1)[(mine - theirs) % 3] for mine, theirs in zip(own, other, strict=True)]
    start = _worst_window(gains)
    stop = min(start + WINDOW, len(gains))
    lines = [
        f"Whole episode: {_tally(gains)}.",
        f"Its throws: {_shares(own)}. The opponent's: {_shares(other)}.",
        f"Throws {start + 1} to {stop}, where it lost most ({sum(gains[start:stop]):+d}):",
        f"own     {_throws(own[start:stop])}",
        f"theirs  {_throws(other[start:stop])}",
    ]
    return "\n".join(lines)


def costliest_hands(plays: Sequence[Episode], *, reveal_always: bool) -> str:
    """The :data:`HANDS` hands that cost ``a`` most, over both seats of one episode of Leduc."""
    lost = []
    for play in plays:
        seat = int(play.swapped)
        for number, hand in enumerate(play.moves, start=1):
            payoff = -hand["payoff"] if seat else hand["payoff"]
            lost.append((payoff, seat, number, hand))
    lost.sort(key=lambda item: item[:3])
    totals = ", ".join(f"{play.payoff:+g} in seat {int(play.swapped)}" for play in plays)
    lines = [f"Whole episode: {totals}. The hands that cost most:"]
    for payoff, seat, number, hand in lost[:HANDS]:
        lines.append(f"Hand {number} in seat {seat}: {payoff:+d} chips.")
        lines += [f"  {line}" for line in _hand(hand, seat, reveal_always)]
    return "\n".join(lines)


def _hand(hand: Mapping[str, Any], seat: int, reveal_always: bool) -> list[str]:
    betting = hand["betting"]
    folded = any(_FOLD in actions for actions in betting)
    shown = reveal_always or not folded
    other = _CARDS[hand["cards"][1 - seat]] if shown else "not shown"
    public = _CARDS[hand["public_card"]] if hand["public_card"] >= 0 else "not reached"
    lines = [f"own card {_CARDS[hand['cards'][seat]]}, opponent's {other}, public card {public}"]
    return lines + [
        f"round {number}: {_betting(actions, seat)}"
        for number, actions in enumerate(betting, start=1)
        if actions
    ]


def _betting(actions: Sequence[int], seat: int) -> str:
    words = []
    raised = False
    for position, action in enumerate(actions):
        who = "it" if position % 2 == seat else "opponent"
        name = {_FOLD: "folds", _CALL: "calls" if raised else "checks", _RAISE: "raises"}[action]
        raised = raised or action == _RAISE
        words.append(f"{who} {name}")
    return ", ".join(words)


def _worst_window(gains: Sequence[int]) -> int:
    """Start of the stretch of :data:`WINDOW` with the lowest sum."""
    total = best = sum(gains[:WINDOW])
    start = 0
    for first in range(1, len(gains) - WINDOW + 1):
        total += gains[first + WINDOW - 1] - gains[first - 1]
        if total < best:
            start, best = first, total
    return start


def _tally(gains: Sequence[int]) -> str:
    counts = Counter(gains)
    return f"{counts[1]} throws won, {counts[0]} tied, {counts[-1]} lost, {sum(gains):+d}"


def _shares(throws: Sequence[int]) -> str:
    return ", ".join(
        f"{letter} {100 * throws.count(throw) / len(throws):.0f} %"
        for throw, letter in enumerate(_LETTERS)
    )


def _throws(throws: Sequence[int]) -> str:
    return "".join(_LETTERS[throw] for throw in throws)
