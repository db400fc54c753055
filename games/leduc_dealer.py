"""The dealer of repeated Leduc Hold'em: many episodes in lockstep, by table look-up."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from games.leduc_tree import ENDINGS, HIDDEN, NEXT, NODES, PAYOFF, finished_code
from games.table import Outcome, Seating, count_forfeits, signed

NOTHING = 65535
"""In a message: no hand ended since this side's last decision in this episode."""

Deal = tuple[int, int, int]
"""Ranks of player 0's card, player 1's card and the public card (dealt even if never reached)."""

_PLAYER = [node.player for node in NODES]
_ROUND = [node.round for node in NODES]
_SHOWDOWN = [ending.folded is None for ending in ENDINGS]
_REACHED_PUBLIC = [ending.folded is None or bool(ending.betting[1]) for ending in ENDINGS]


def deal_hands(seed: int, num_hands: int) -> list[Deal]:
    """The cards of one episode: they depend on the seed alone, not on how hands are played."""
    generator = np.random.Generator(np.random.PCG64(seed))
    decks = generator.permuted(np.tile(np.arange(6), (num_hands, 1)), axis=1)[:, :3] // 2
    return [(int(a), int(b), int(c)) for a, b, c in decks]


class _Hand:
    """One episode at the table: the hand being played, and what each seat has yet to be told."""

    __slots__ = ("codes", "deals", "finished", "log", "node", "number", "ranks", "total")

    def __init__(self, deals: Sequence[Deal]) -> None:
        self.deals = deals
        self.number = 0
        self.node = 0
        self.total = 0
        self.finished = [NOTHING, NOTHING]
        self.log: list[dict[str, Any]] = []
        self.open(deals[0])

    def open(self, deal: Deal) -> None:
        first, second, public = deal
        self.node = 0
        self.ranks = first * 9 + second * 3 + public
        # By round and seat: the card part of the information state's number.
        self.codes = (
            (first * 4 + HIDDEN, second * 4 + HIDDEN),
            (first * 4 + public, second * 4 + public),
        )

    def close(self, ending: int, reveal_always: bool) -> int:
        """Book the hand that just ended; the payoff to player 0."""
        payoff = PAYOFF[ending][self.ranks]
        self.total += payoff
        first, second, public = self.deals[self.number]
        shown = reveal_always or _SHOWDOWN[ending]
        board = public if _REACHED_PUBLIC[ending] else HIDDEN
        self.finished[0] = finished_code(ending, first, second if shown else HIDDEN, board)
        self.finished[1] = finished_code(ending, second, first if shown else HIDDEN, board)
        self.number += 1
        return payoff

    def record(self, ending: int, payoff: int) -> None:
        first, second, public = self.deals[self.number - 1]
        self.log.append(
            {
                "cards": [first, second],
                "public_card": public if _REACHED_PUBLIC[ending] else -1,
                "betting": [list(actions) for actions in ENDINGS[ending].betting],
                "payoff": payoff,
            }
        )


def play_hands(seating: Seating, num_hands: int, *, reveal_always: bool) -> Outcome:
    """Play ``num_hands`` hands in every episode of the batch; payoffs are chips of seat 0."""
    hands = [_Hand(deal_hands(seed, num_hands)) for seed in seating.chance_seeds]
    sides = seating.sides
    forfeits: tuple[dict[int, int], dict[int, int]] = ({}, {})
    endings = [0] * len(ENDINGS)
    decisions = 0
    waiting: list[list[int]] = [list(range(len(hands))), []]
    while waiting[0] or waiting[1]:
        asked, waiting = waiting, [[], []]
        decisions += len(asked[0]) + len(asked[1])
        for seat in (0, 1):
            if asked[seat]:
                sides[seat].send(_message(hands, asked[seat], seat), len(asked[seat]))
        for seat in (0, 1):
            if not asked[seat]:
                continue
            for episode, reply in zip(asked[seat], sides[seat].receive(), strict=True):
                hand = hands[episode]
                following = NEXT[hand.node]
                if reply >= len(following):
                    code = signed(reply)
                    code = code if code < 0 else sides[seat].violate(reply)
                    count_forfeits(forfeits[seat], code)
                    reply = 0  # the first legal action: fold, or check when that is free
                node = following[reply]
                if node < 0:
                    payoff = hand.close(-1 - node, reveal_always)
                    endings[-1 - node] += 1
                    if seating.record:
                        hand.record(-1 - node, payoff)
                    if hand.number == num_hands:
                        continue
                    hand.open(hand.deals[hand.number])
                    waiting[0].append(episode)
                else:
                    hand.node = node
                    waiting[_PLAYER[node]].append(episode)
    return Outcome(
        payoffs=[float(hand.total) for hand in hands],
        decisions=decisions,
        forfeits=forfeits,
        tallies=(_tally(endings, 0), _tally(endings, 1)),
        records=[hand.log for hand in hands] if seating.record else None,
    )


def _tally(endings: Sequence[int], seat: int) -> dict[str, int]:
    """Hands and the seat's actions in them, from how often each ending was reached."""
    tally = {"hands": sum(endings), "folds": 0, "calls": 0, "raises": 0}
    for count, ending in zip(endings, ENDINGS, strict=True):
        for betting in ending.betting:
            for action in betting[seat::2]:  # player 0 opens both rounds
                tally[("folds", "calls", "raises")[action]] += count
    return tally


def _message(hands: Sequence[_Hand], episodes: Sequence[int], seat: int) -> bytes:
    numbers: list[int] = []
    extend = numbers.extend
    for episode in episodes:
        hand = hands[episode]
        node = hand.node
        extend((episode, hand.finished[seat], node * 12 + hand.codes[_ROUND[node]][seat]))
        hand.finished[seat] = NOTHING
    return array("H", numbers).tobytes()
