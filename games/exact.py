"""Exact values of Leduc strategies that do not learn across hands.

Everything is about the single hand, times 100: a policy that adapts to what it saw in earlier hands
has no such number, and its exploitability over 100 hands is something else.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from games.bots.leduc import Strategy
from games.leduc import NUM_HANDS
from games.leduc_tree import HIDDEN, NEXT, NODES, PAYOFF, info_code

Deal = tuple[int, int, int]


def expected_payoff(first: Strategy, second: Strategy) -> float:
    """Expected chips per 100 hands of ``first`` against ``second``, seats averaged."""
    seated = [_hand_value((first, second)), -_hand_value((second, first))]
    return NUM_HANDS * sum(seated) / 2


def best_response_value(strategy: Strategy) -> float:
    """What a best response wins per 100 hands against the strategy, seats averaged."""
    return NUM_HANDS * (_best_value(strategy, 0) + _best_value(strategy, 1)) / 2


def exploitability(strategy: Strategy) -> float:
    """Exploitability of the single hand in chips: half of NashConv, exact."""
    return best_response_value(strategy) / NUM_HANDS


@cache
def _deals() -> tuple[tuple[Deal, float], ...]:
    """Rank deals (player 0, player 1, public) with their probabilities."""
    counts: dict[Deal, int] = {}
    for first, second, public in permutations(range(6), 3):
        deal = (first // 2, second // 2, public // 2)
        counts[deal] = counts.get(deal, 0) + 1
    total = sum(counts.values())
    return tuple((deal, count / total) for deal, count in counts.items())


def _hand_value(seats: tuple[Strategy, Strategy]) -> float:
    """Expected chips of player 0 in one hand."""

    def value(node: int, deal: Deal) -> float:
        if node < 0:
            return PAYOFF[-1 - node][deal[0] * 9 + deal[1] * 3 + deal[2]]
        row = seats[NODES[node].player][_code(node, deal)]
        children = zip(row, NEXT[node], strict=True)
        return sum(p * value(child, deal) for p, child in children if p > 0)

    return sum(probability * value(0, deal) for deal, probability in _deals())


def _best_value(opponent: Strategy, seat: int) -> float:
    """Value at ``seat`` of a best response to ``opponent`` in one hand.

    Values are vectors over the opponent's rank, weighted by how likely he is to get here with it,
    so that choosing the best action per own information state is one maximum.
    """
    sign = 1 if seat == 0 else -1
    chances = dict(_deals())

    def joint(mine: int, theirs: int, public: int) -> float:
        return chances.get((mine, theirs, public) if seat == 0 else (theirs, mine, public), 0.0)

    def value(node: int, mine: int, public: int, reach: NDArray[np.float64]) -> float:
        """Summed over the opponent's ranks and, before it is turned, over the public card."""
        if node < 0:
            return _ending_value(-1 - node, mine, public, reach)
        here = NODES[node]
        if here.round == 1 and public == HIDDEN:
            return sum(value(node, mine, turned, reach) for turned in range(3))
        if here.player == seat:
            return max(value(child, mine, public, reach) for child in NEXT[node])
        rows = np.array([opponent[info_code(node, rank, public)] for rank in range(3)])
        return sum(
            value(child, mine, public, reach * rows[:, index])
            for index, child in enumerate(NEXT[node])
        )

    def _ending_value(ending: int, mine: int, public: int, reach: NDArray[np.float64]) -> float:
        total = 0.0
        for theirs in range(3):
            for board in range(3) if public == HIDDEN else (public,):
                cards = (mine, theirs) if seat == 0 else (theirs, mine)
                chips = PAYOFF[ending][cards[0] * 9 + cards[1] * 3 + board]
                total += joint(mine, theirs, board) * float(reach[theirs]) * sign * chips
        return total

    return sum(value(0, mine, HIDDEN, np.ones(3)) for mine in range(3))


def _code(node: int, deal: Deal) -> int:
    here = NODES[node]
    return info_code(node, deal[here.player], HIDDEN if here.round == 0 else deal[2])


def deals() -> Iterator[tuple[Deal, float]]:
    """All rank deals of a hand with their probabilities."""
    return iter(_deals())
