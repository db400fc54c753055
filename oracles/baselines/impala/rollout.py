"""The actor: plays by a snapshot of the network and cuts what happens into unrolls."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from oracles.baselines.impala.learner import Unrolls
from oracles.baselines.impala.messages import Messages, Seen
from oracles.baselines.impala.player import Network, probabilities


class Actor:
    """Acts in ``episodes`` episodes side by side.

    An unroll is ``length`` decisions of one episode, or fewer at the episode's end; it never
    reaches into the next episode. Whenever as many unrolls as there are episodes are complete,
    ``learn`` gets them. An episode in the middle of an unroll then goes on under newer parameters
    than it began with: that is what V-trace corrects.
    """

    def __init__(
        self,
        *,
        messages: Messages,
        network: Network,
        episodes: int,
        length: int,
        generator: np.random.Generator,
        learn: Callable[[Unrolls], Network],
    ) -> None:
        hidden = network.from_hidden.shape[1]
        self._scale = np.float32(messages.reward_scale)
        self._discount = np.float32(messages.discount)
        self._network = network
        self._length = length
        self._generator = generator
        self._learn = learn
        self._hidden = np.zeros((episodes, hidden), dtype=np.float32)
        self._cell = np.zeros((episodes, hidden), dtype=np.float32)
        self._first_hidden = np.zeros_like(self._hidden)
        self._first_cell = np.zeros_like(self._cell)
        self._position = np.zeros(episodes, dtype=np.int64)
        self._paid = np.zeros(episodes, dtype=np.float64)
        self._features = np.zeros((episodes, length + 1, messages.features), dtype=np.float32)
        self._legal = np.ones((episodes, length + 1, messages.actions), dtype=np.bool_)
        self._actions = np.zeros((episodes, length), dtype=np.int64)
        self._log_probabilities = np.zeros((episodes, length), dtype=np.float32)
        self._rewards = np.zeros((episodes, length), dtype=np.float32)
        self._complete: list[Unrolls] = []
        self._waiting = 0
        self.frames = 0

    def act(self, seen: Seen) -> NDArray[np.int64]:
        """An action for each decision, drawn from the network's probabilities."""
        episodes = seen.episodes
        self._credit(episodes, seen.rewards)
        full = self._position[episodes] == self._length
        place = self._position[episodes]
        self._features[episodes, place] = seen.features
        self._legal[episodes, place] = seen.legal
        if full.any():
            self._cut(episodes[full], ended=False)
            self._begin(episodes[full], seen.features[full], seen.legal[full])
            self._learn_if_enough()
        place = self._position[episodes]
        hidden, cell, output = self._network.step(
            seen.features, self._hidden[episodes], self._cell[episodes]
        )
        self._hidden[episodes], self._cell[episodes] = hidden, cell
        chances = probabilities(output[:, :-1], seen.legal)
        draws = self._generator.random(len(episodes), dtype=np.float32)
        actions = _drawn(chances, draws, seen.legal)
        rows = np.arange(len(episodes))
        self._actions[episodes, place] = actions
        self._log_probabilities[episodes, place] = np.log(chances[rows, actions])
        self._position[episodes] = place + 1
        self.frames += len(episodes)
        return actions

    def end(self, payoffs: Sequence[float]) -> None:
        """All episodes are over; what the last decision of each paid is the rest of its payoff."""
        everyone = np.arange(len(payoffs))
        self._credit(everyone, (np.array(payoffs) - self._paid).astype(np.float32))
        self._cut(everyone, ended=True)
        for array in (self._position, self._paid, self._hidden, self._cell):
            array[...] = 0
        self._first_hidden[...] = self._first_cell[...] = 0
        self._learn_if_enough()

    def _credit(self, episodes: NDArray[np.int64], rewards: NDArray[np.float32]) -> None:
        """Rewards belong to each episode's last decision; before its first there is none."""
        self._paid[episodes] += rewards
        began = self._position[episodes] > 0
        who = episodes[began]
        self._rewards[who, self._position[who] - 1] = rewards[began] * self._scale

    def _cut(self, episodes: NDArray[np.int64], *, ended: bool) -> None:
        """The unrolls of these episodes are complete."""
        steps = self._position[episodes]
        mask = (np.arange(self._length) < steps[:, None]).astype(np.float32)
        discounts = mask * self._discount
        if ended:
            discounts[np.arange(len(episodes)), steps - 1] = 0.0
        self._complete.append(
            Unrolls(
                features=self._features[episodes],
                legal=self._legal[episodes],
                actions=self._actions[episodes],
                log_probabilities=self._log_probabilities[episodes],
                rewards=self._rewards[episodes] * mask,
                discounts=discounts,
                mask=mask,
                hidden=self._first_hidden[episodes],
                cell=self._first_cell[episodes],
            )
        )
        self._waiting += len(episodes)

    def _begin(
        self,
        episodes: NDArray[np.int64],
        features: NDArray[np.float32],
        legal: NDArray[np.bool_],
    ) -> None:
        self._position[episodes] = 0
        self._features[episodes, 0] = features
        self._legal[episodes, 0] = legal
        self._first_hidden[episodes] = self._hidden[episodes]
        self._first_cell[episodes] = self._cell[episodes]

    def _learn_if_enough(self) -> None:
        if self._waiting >= len(self._position):
            self._network = self._learn(_together(self._complete))
            self._complete = []
            self._waiting = 0


def _drawn(
    chances: NDArray[np.float32], draws: NDArray[np.float32], legal: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Inverse transform sampling, ``[N]``; rounding never leads to an action that is not legal."""
    below = np.cumsum(chances, axis=1) <= draws[:, None]
    actions = np.minimum(below.sum(axis=1), chances.shape[1] - 1)
    fits = legal[np.arange(len(actions)), actions]
    chosen: NDArray[np.int64] = np.where(fits, actions, chances.argmax(axis=1))
    return chosen


def _together(parts: Sequence[Unrolls]) -> Unrolls:
    """One batch, time first."""

    def join(name: str) -> NDArray[np.float32]:
        return np.concatenate([getattr(part, name) for part in parts])

    def time_first(name: str) -> NDArray[np.float32]:
        return np.ascontiguousarray(np.swapaxes(join(name), 0, 1))

    steps = ("features", "legal", "actions", "log_probabilities", "rewards", "discounts", "mask")
    return Unrolls(
        **{name: time_first(name) for name in steps},  # type: ignore[arg-type]
        hidden=join("hidden"),
        cell=join("cell"),
    )
