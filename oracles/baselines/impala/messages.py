"""What a table's messages say to the learner: features, rewards, legal actions, episode by episode.

A table sends numbers (games/views says which); the tables here turn each number into what the
trained program will see at that point, by the same functions (:mod:`.observers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from games.base import Game, GameError
from games.leduc_tree import ENDINGS, NODES
from games.views import leduc_view
from oracles.baselines.impala.observers import leduc, rrps

Rows = NDArray[np.uint16]


@dataclass(frozen=True)
class Seen:
    """Decisions that are asked for, one per row.

    ``rewards`` is what each episode paid since its last decision, in the game's unit.
    """

    episodes: NDArray[np.int64]
    features: NDArray[np.float32]
    rewards: NDArray[np.float32]
    legal: NDArray[np.bool_]


class Messages(Protocol):
    """The messages of one game."""

    features: int
    actions: int
    reward_scale: float
    """Rewards are multiplied by it, so that those of all games are of the order of 1."""
    discount: float
    """Gamma: how much of a payoff one decision later counts, in training alone."""

    def rows(self, message: bytes) -> tuple[NDArray[np.int64], Rows]:
        """The episode of each decision, and the message's row about it."""
        ...

    def message(self, rows: Rows, episodes: NDArray[np.int64]) -> bytes:
        """The message of these rows to a side that knows the episodes by these numbers."""
        ...

    def read(self, message: bytes, *, seat: int, first: bool) -> Seen:
        """What the learner at ``seat`` sees; ``first`` is whether nothing was played yet."""
        ...

    def reply(self, actions: NDArray[np.int64], legal: NDArray[np.bool_]) -> bytes:
        """The actions as indexes among the legal ones."""
        ...


class RrpsMessages:
    """One byte per episode: 3 * own throw + opponent's throw of the last round."""

    features = rrps.FEATURES
    actions = 3
    reward_scale = 1.0
    discount = 0.9

    def __init__(self) -> None:
        table = [rrps.last_throws(code // 3, code % 3) for code in range(9)]
        self._features = np.array(table, dtype=np.float32)
        self._rewards = np.array([0, -1, 1, 1, 0, -1, -1, 1, 0], dtype=np.float32)

    def rows(self, message: bytes) -> tuple[NDArray[np.int64], Rows]:
        codes = np.frombuffer(message, dtype=np.uint8).astype(np.uint16)
        return np.arange(len(codes)), codes[:, None]

    def message(self, rows: Rows, episodes: NDArray[np.int64]) -> bytes:
        return rows.astype(np.uint8).tobytes()

    def read(self, message: bytes, *, seat: int, first: bool) -> Seen:
        codes = np.frombuffer(message, dtype=np.uint8)
        count = len(codes)
        known = 0.0 if first else 1.0
        return Seen(
            np.arange(count),
            self._features[codes] * np.float32(known),
            self._rewards[codes] * np.float32(known),
            np.ones((count, 3), dtype=np.bool_),
        )

    def reply(self, actions: NDArray[np.int64], legal: NDArray[np.bool_]) -> bytes:
        return actions.astype(np.uint8).tobytes()


class LeducMessages:
    """Three numbers per decision: the episode, the hand that has ended, the state now."""

    features = leduc.FEATURES
    actions = 3
    reward_scale = 0.2
    discount = 0.99

    def __init__(self, game: Game) -> None:
        views = [leduc_view.make_view(game.view_setup(seat, [])) for seat in (0, 1)]
        self._states = np.zeros((len(NODES) * 12, leduc.STATE), dtype=np.float32)
        self._legal = np.zeros((len(NODES) * 12, 3), dtype=np.bool_)
        for code in range(len(NODES) * 12):
            seat = NODES[code // 12].player
            fields, first, second, legal, _, _ = views[seat].state(code)
            obs = {**fields, "player": seat, "betting": [first, second], "legal_actions": legal}
            self._states[code] = leduc.state(obs)
            self._legal[code, legal] = True
        hands = [[_last_hand(view, code) for code in range(len(ENDINGS) * 48)] for view in views]
        self._hands = np.array([[hand for hand, _ in seat] for seat in hands], dtype=np.float32)
        self._paid = np.array([[paid for _, paid in seat] for seat in hands], dtype=np.float32)

    def rows(self, message: bytes) -> tuple[NDArray[np.int64], Rows]:
        rows = np.frombuffer(message, dtype=np.uint16).reshape(-1, 3)
        return rows[:, 0].astype(np.int64), rows

    def message(self, rows: Rows, episodes: NDArray[np.int64]) -> bytes:
        rows = rows.copy()
        rows[:, 0] = episodes
        return rows.tobytes()

    def read(self, message: bytes, *, seat: int, first: bool) -> Seen:
        episodes, rows = self.rows(message)
        codes = rows[:, 2].astype(np.int64)
        ended = rows[:, 1] != leduc_view.NOTHING
        hands = np.where(ended, rows[:, 1], 0).astype(np.int64)
        last = self._hands[seat, hands] * ended[:, None]
        features = np.concatenate([self._states[codes], last], axis=1)
        return Seen(episodes, features, self._paid[seat, hands] * ended, self._legal[codes])

    def reply(self, actions: NDArray[np.int64], legal: NDArray[np.bool_]) -> bytes:
        index = np.cumsum(legal, axis=1)[np.arange(len(actions)), actions] - 1
        return bytes(index.astype(np.uint8))


def _last_hand(view: leduc_view.View, code: int) -> tuple[Sequence[float], float]:
    """Features of a finished hand and the chips it paid; codes that no hand can have pay 0."""
    opponent, public = code // 4 % 4, code % 4
    showdown = ENDINGS[code // 48].folded is None
    if showdown and leduc_view.HIDDEN in (opponent, public):
        return [0.0] * leduc.LAST_HAND, 0.0
    fields, first, second, paid = view.ending(code)
    return leduc.last_hand({**fields, "betting": [first, second]}), float(paid)


def messages_of(game: Game) -> Messages:
    """How the learner reads the game's tables.

    Raises:
        GameError: for a game that it has not been taught.
    """
    if game.name == "rrps":
        return RrpsMessages()
    if game.name == "leduc":
        return LeducMessages(game)
    raise GameError(f"impala cannot be trained on {game.name}")
