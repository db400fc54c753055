"""Leduc Hold'em as a table: the betting tree of one hand, its states and its payoffs.

The rules are those of OpenSpiel's ``leduc_poker`` (Southey et al. 2005, "Bayes' Bluff"): six cards
(two each of three ranks), ante 1, raises of 2 before and 4 after the public card, at most two
raises a round, player 0 opens both rounds. A hand has 36 betting nodes and 49 endings; everything
the dealer does in play is a look-up here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FOLD, CALL, RAISE = 0, 1, 2
HIDDEN = 3
"""Stands for a card that is not seen, where a rank (0, 1, 2) would stand."""
ANTE = 1
RAISE_SIZE = (2, 4)
MAX_RAISES = 2


@dataclass(frozen=True)
class BettingNode:
    """A point where ``player`` must act. ``bets`` are chips put in, by player, antes included."""

    player: int
    round: int
    bets: tuple[int, int]
    betting: tuple[tuple[int, ...], tuple[int, ...]]
    legal: tuple[int, ...]


@dataclass(frozen=True)
class Ending:
    """How a hand ended: ``folded`` is the player who folded, None at a showdown."""

    folded: int | None
    bets: tuple[int, int]
    betting: tuple[tuple[int, ...], tuple[int, ...]]


def _build() -> tuple[list[BettingNode], list[Ending], list[tuple[int, ...]]]:
    nodes: list[BettingNode] = []
    endings: list[Ending] = []
    following: list[tuple[int, ...]] = []

    def end(folded: int | None, bets: tuple[int, int], rounds: list[tuple[int, ...]]) -> int:
        endings.append(Ending(folded, bets, (rounds[0], rounds[1])))
        return -len(endings)

    def visit(rounds: list[tuple[int, ...]], bets: tuple[int, int], number: int) -> int:
        history = rounds[number]
        player = len(history) % 2
        raises = history.count(RAISE)
        facing = bets[player] < bets[1 - player]
        legal = ((FOLD,) if facing else ()) + (CALL,) + ((RAISE,) if raises < MAX_RAISES else ())
        index = len(nodes)
        nodes.append(BettingNode(player, number, bets, (rounds[0], rounds[1]), legal))
        following.append(())
        following[index] = tuple(act(rounds, bets, number, player, action) for action in legal)
        return index

    def act(
        rounds: list[tuple[int, ...]], bets: tuple[int, int], number: int, player: int, action: int
    ) -> int:
        rounds = [*rounds]
        rounds[number] = (*rounds[number], action)
        if action == FOLD:
            return end(player, bets, rounds)
        level = max(bets) + (RAISE_SIZE[number] if action == RAISE else 0)
        bets = (level, bets[1]) if player == 0 else (bets[0], level)
        closed = action == CALL and len(rounds[number]) > 1
        if not closed:
            return visit(rounds, bets, number)
        return visit(rounds, bets, 1) if number == 0 else end(None, bets, rounds)

    visit([(), ()], (ANTE, ANTE), 0)
    return nodes, endings, following


NODES, ENDINGS, NEXT = _build()
"""``NEXT[node][legal index]`` is the node that follows, or ``-1 - ending``."""


def info_code(node: int, my_rank: int, public_rank: int) -> int:
    """Number of what the player at ``node`` knows; ``public_rank`` is HIDDEN in round one."""
    return node * 12 + my_rank * 4 + public_rank


def finished_code(ending: int, my_rank: int, opponent_rank: int, public_rank: int) -> int:
    """Number of a finished hand as one player saw it; unseen cards are HIDDEN."""
    return ((ending * 3 + my_rank) * 4 + opponent_rank) * 4 + public_rank


def payoff(ending: int, rank0: int, rank1: int, public: int) -> int:
    """Chips won by player 0 in one hand."""
    outcome = ENDINGS[ending]
    if outcome.folded is not None:
        return -outcome.bets[0] if outcome.folded == 0 else outcome.bets[1]
    strength0 = rank0 + 3 * (rank0 == public)
    strength1 = rank1 + 3 * (rank1 == public)
    if strength0 == strength1:
        return 0
    return outcome.bets[1] if strength0 > strength1 else -outcome.bets[0]


PAYOFF = [
    [payoff(ending, code // 9, code // 3 % 3, code % 3) for code in range(27)]
    for ending in range(len(ENDINGS))
]
"""``PAYOFF[ending][rank0 * 9 + rank1 * 3 + public]``: chips to player 0."""


def view_tables() -> dict[str, Any]:
    """The tree as plain JSON data for the view (games/views/leduc_view.py)."""
    return {
        "nodes": [
            {
                "player": node.player,
                "round": node.round + 1,
                "bets": list(node.bets),
                "betting": [list(actions) for actions in node.betting],
                "legal": list(node.legal),
            }
            for node in NODES
        ],
        "endings": [
            {
                "folded": -1 if end.folded is None else end.folded,
                "betting": [list(actions) for actions in end.betting],
            }
            for end in ENDINGS
        ],
        "payoff": PAYOFF,
        "fold_payoff": [PAYOFF[index][0] for index in range(len(ENDINGS))],
    }
