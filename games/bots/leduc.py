"""Reference opponents of Leduc Hold'em, all of them tables: probabilities by information state."""

from __future__ import annotations

import random
from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from games.bots.cfr import cfr_plus
from games.leduc_tree import CALL, FOLD, HIDDEN, NODES, RAISE, info_code

Strategy = Mapping[int, tuple[float, ...]]
"""By :func:`games.leduc_tree.info_code`: a probability per legal action, in order; sums to 1."""


def _every_state(rule: Mapping[tuple[int, ...], tuple[float, ...]]) -> Strategy:
    """A strategy that looks at the legal actions alone."""
    return {
        info_code(index, rank, public): rule[node.legal]
        for index, node in enumerate(NODES)
        for rank in range(3)
        for public in ((HIDDEN,) if node.round == 0 else range(3))
    }


def _prefer(*order: int) -> Strategy:
    """Always the first legal action of ``order``."""
    legal_sets = {node.legal for node in NODES}
    choice = {legal: next(action for action in order if action in legal) for legal in legal_sets}
    return _every_state(
        {legal: tuple(float(action == choice[legal]) for action in legal) for legal in legal_sets}
    )


@cache
def strategy(name: str) -> Strategy:
    """The named bot's table. The first call for ``cfr_plus`` may have to solve the game.

    Raises:
        KeyError: on an unknown name.
    """
    if name == "cfr_plus":
        return cfr_plus().strategy
    if name == "uniform":
        return _every_state(
            {node.legal: (1 / len(node.legal),) * len(node.legal) for node in NODES}
        )
    preferences = {
        "always_call": (CALL,),
        "always_fold": (FOLD, CALL),
        "always_raise": (RAISE, CALL),
    }
    return _prefer(*preferences[name])


class TabularSide:
    """A strategy playing one seat of a batch, with a random stream per episode."""

    def __init__(self, table: Strategy, seeds: Sequence[int]) -> None:
        self._cumulative: dict[int, list[float]] = {}
        self._fixed: dict[int, int] = {}
        for code, row in table.items():
            if max(row) == 1.0:
                self._fixed[code] = row.index(1.0)
            else:
                self._cumulative[code] = [float(x) for x in np.cumsum(row)[:-1]]
        self._draws = [random.Random(seed).random for seed in seeds]  # noqa: S311
        self._message = array("H")

    def send(self, message: bytes, decisions: int) -> None:
        self._message = array("H", message)
        if len(self._message) != 3 * decisions:
            raise ValueError(f"{decisions} decisions do not fit {len(message)} bytes")

    def receive(self) -> bytes:
        fixed, cumulative, draws = self._fixed, self._cumulative, self._draws
        replies = []
        for episode, code in zip(self._message[::3], self._message[2::3], strict=True):
            reply = fixed.get(code)
            if reply is None:
                reply = bisect_right(cumulative[code], draws[episode]())
            replies.append(reply)
        return bytes(replies)

    def violate(self, reply: int) -> int:
        raise ValueError(f"a Leduc bot answered {reply}")
