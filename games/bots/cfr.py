"""CFR+ for Leduc Hold'em: solved once, kept on disk, with its exact exploitability.

Tammelin et al. 2015, "Solving Heads-up Limit Texas Hold'em", over the 288 information sets that are
left when suits do not matter (``leduc_poker(suit_isomorphism=True)`` of OpenSpiel). It takes the
same steps as OpenSpiel's ``CFRPlusSolver``, in sequence form: an iteration is a handful of
array operations per player.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.cache import cache_directory, exclusive, read_json, write_json
from games.leduc_tree import HIDDEN, NEXT, NODES, PAYOFF, info_code

ITERATIONS = 10_000
"""As in the evaluation population of arXiv:2603.10098."""

_NUM_DEALS = 6 * 5 * 4

Vector = NDArray[np.float64]
Strategy = dict[int, tuple[float, ...]]


@dataclass(frozen=True)
class TabularSolution:
    """A strategy with the exploitability of the single hand, in chips (half of NashConv)."""

    strategy: Strategy
    exploitability: float
    iterations: int


@cache
def cfr_plus(iterations: int = ITERATIONS) -> TabularSolution:
    """The CFR+ average strategy; a few seconds the first time, then from the cache on disk.

    Raises:
        ValueError: when a row is not a probability distribution.
        OSError: when the cache directory cannot be written.
    """
    path = cache_directory() / f"leduc-cfr-plus-{iterations}.json"
    data = read_json(path)
    if data is None:
        with exclusive(path):
            data = read_json(path)
            if data is None:
                data = _solution_data(iterations)
                write_json(path, data)
    strategy = {int(code): tuple(row) for code, row in data["strategy"].items()}
    check_rows(strategy)
    return TabularSolution(strategy, data["exploitability"], data["iterations"])


def solve(iterations: int) -> Strategy:
    """The average strategy after so many iterations of CFR+ (linear averaging, alternating)."""
    players = (_Player(0), _Player(1))
    sequences, chips = _payoffs(players)
    for iteration in range(1, iterations + 1):
        for seat, sign in ((0, 1.0), (1, -1.0)):
            player, opponent = players[seat], players[1 - seat]
            # Sums run in a fixed order (no BLAS), so that every machine gets the same table.
            weights = sign * chips * opponent.plan[sequences[1 - seat]]
            values = np.bincount(sequences[seat], weights=weights, minlength=len(player.plan))
            player.update(np.asarray(values, dtype=np.float64), iteration)
    return {**players[0].average(), **players[1].average()}


def check_rows(strategy: Strategy) -> None:
    """Raises ValueError unless every row is a distribution over its legal actions."""
    for code, row in strategy.items():
        if len(row) != len(NODES[code // 12].legal) or min(row) < 0 or abs(sum(row) - 1) > 1e-9:
            raise ValueError(f"information state {code} has no valid distribution: {row}")


def _solution_data(iterations: int) -> dict[str, Any]:
    from games.exact import exploitability

    strategy = solve(iterations)
    return {
        "strategy": strategy,
        "exploitability": exploitability(strategy),
        "iterations": iterations,
    }


class _Player:
    """One player's information sets, as arrays over his sequences (0 is the empty one).

    Information sets are grouped by how many own decisions came before. Rows have three actions;
    what is missing points to a last, unused sequence.
    """

    def __init__(self, seat: int) -> None:
        self.sequence: dict[tuple[int, int], int] = {}
        parents: dict[int, int] = {}
        depth = {0: 0}
        for deal in {(a // 2, b // 2, c // 2) for a, b, c in permutations(range(6), 3)}:
            self._walk(seat, 0, deal, 0, parents, depth)
        self.codes = sorted(parents, key=lambda code: (depth[parents[code]], code))
        size = len(self.sequence) + 2
        width = [len(NODES[code // 12].legal) for code in self.codes]
        self.legal = np.arange(3)[None, :] < np.array(width)[:, None]
        self.rows = np.array(
            [[self.sequence.get((code, i), size - 1) for i in range(3)] for code in self.codes]
        )
        self.parents = np.array([parents[code] for code in self.codes])
        depths = np.array([depth[parents[code]] for code in self.codes])
        self.levels = [
            slice(int(found[0]), int(found[-1]) + 1)
            for level in range(int(depths.max()) + 1)
            if len(found := np.flatnonzero(depths == level))
        ]
        self.uniform = self.legal / self.legal.sum(axis=1, keepdims=True)
        self.regrets = np.zeros(self.legal.shape)
        self.policy = self.uniform.copy()
        self.sum = np.zeros(size)
        self.plan = self._plan()

    def _walk(
        self,
        seat: int,
        node: int,
        deal: tuple[int, int, int],
        last: int,
        parents: dict[int, int],
        depth: dict[int, int],
    ) -> None:
        if node < 0:
            return
        mine = NODES[node].player == seat
        code = _code(node, deal)
        if mine:
            parents[code] = last
        for index, child in enumerate(NEXT[node]):
            following = last
            if mine:
                following = self.sequence.setdefault((code, index), len(self.sequence) + 1)
                depth[following] = depth[last] + 1
            self._walk(seat, child, deal, following, parents, depth)

    def _plan(self) -> Vector:
        """Probability of each sequence when this player alone decides."""
        plan = np.zeros(len(self.sequence) + 2)
        plan[0] = 1.0
        for level in self.levels:
            plan[self.rows[level]] = plan[self.parents[level]][:, None] * self.policy[level]
        plan[-1] = 0.0
        return plan

    def update(self, values: Vector, iteration: int) -> None:
        """One step of CFR+ from the counterfactual values of this player's endings."""
        for level in reversed(self.levels):
            actions = values[self.rows[level]]
            state = (self.policy[level] * actions).sum(axis=1)
            self.regrets[level] += actions - state[:, None]
            np.add.at(values, self.parents[level], state)
        self.sum += iteration * self.plan
        np.maximum(self.regrets, 0.0, out=self.regrets)
        self.regrets *= self.legal
        total = self.regrets.sum(axis=1, keepdims=True)
        self.policy = np.where(
            total > 0, self.regrets / np.where(total > 0, total, 1), self.uniform
        )
        self.plan = self._plan()

    def average(self) -> Strategy:
        weights = self.sum[self.rows] * self.legal
        total = weights.sum(axis=1, keepdims=True)
        rows = np.where(total > 0, weights / np.where(total > 0, total, 1), self.uniform)
        return {
            code: tuple(float(p) for p in row[: len(NODES[code // 12].legal)])
            for code, row in zip(self.codes, rows, strict=True)
        }


def _payoffs(
    players: tuple[_Player, _Player],
) -> tuple[tuple[NDArray[np.intp], NDArray[np.intp]], Vector]:
    """Pairs of both players' last sequences, with the expected chips of player 0 for each."""
    cells: dict[tuple[int, int], int] = {}

    def walk(node: int, deal: tuple[int, int, int], last: tuple[int, int]) -> None:
        if node < 0:
            chips = PAYOFF[-1 - node][deal[0] * 9 + deal[1] * 3 + deal[2]]
            cells[last] = cells.get(last, 0) + chips
            return
        player = NODES[node].player
        code = _code(node, deal)
        for index, child in enumerate(NEXT[node]):
            own = players[player].sequence[code, index]
            walk(child, deal, (own, last[1]) if player == 0 else (last[0], own))

    for first, second, public in permutations(range(6), 3):
        walk(0, (first // 2, second // 2, public // 2), (0, 0))
    kept = [(first, second, chips) for (first, second), chips in cells.items() if chips]
    columns = np.array(kept, dtype=np.intp).T
    return (columns[0], columns[1]), columns[2] / _NUM_DEALS


def _code(node: int, deal: tuple[int, int, int]) -> int:
    here = NODES[node]
    return info_code(node, deal[here.player], HIDDEN if here.round == 0 else deal[2])
