"""How a trained network plays. Its text is part of every trained program, so it is self-contained:
it may import what a policy may, and the weights follow it as base85 text of float16 numbers."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

ALPHABET = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"


def decoded(text: str) -> Any:
    """The float32 numbers that the text holds: base85, four bytes (two float16) to five letters."""
    digit = np.zeros(128, dtype=np.int64)
    digit[np.frombuffer(ALPHABET, dtype=np.uint8)] = np.arange(85)
    groups = digit[np.frombuffer(text.encode("ascii"), dtype=np.uint8)].reshape(-1, 5)
    words = (groups @ (85 ** np.arange(4, -1, -1))).astype(">u4")
    return np.frombuffer(words.tobytes(), dtype="<f2").astype(np.float32)


class Network:
    """A long short-term memory with a head for the action and one for the value.

    Gates stand in the order input, forget, cell, output.
    """

    def __init__(self, numbers: Any, inputs: int, hidden: int, actions: int) -> None:
        shapes = (
            (4 * hidden, inputs),
            (4 * hidden, hidden),
            (4 * hidden,),
            (actions + 1, hidden),
            (actions + 1,),
        )
        parts, start = [], 0
        for shape in shapes:
            size = int(np.prod(shape))
            parts.append(numbers[start : start + size].reshape(shape))
            start += size
        self.from_input, self.from_hidden, self.bias, self.head, self.head_bias = parts

    def step(self, inputs: Any, hidden: Any, cell: Any) -> tuple[Any, Any, Any]:
        """New hidden state, new cell, and logits of the actions followed by the value.

        All have one row per episode: ``[N, inputs]``, ``[N, hidden]``, ``[N, actions + 1]``.
        """
        gates = inputs @ self.from_input.T + hidden @ self.from_hidden.T + self.bias
        size = hidden.shape[-1]
        new = np.tanh(gates[:, 2 * size : 3 * size])
        gates *= 0.5
        np.tanh(gates, out=gates)
        gates += 1.0
        gates *= 0.5
        cell = gates[:, size : 2 * size] * cell + gates[:, :size] * new
        hidden = gates[:, 3 * size :] * np.tanh(cell)
        return hidden, cell, hidden @ self.head.T + self.head_bias


def probabilities(logits: Any, legal: Any) -> Any:
    """Softmax over the legal actions, ``[N, actions]``; the others get exactly 0."""
    shifted = np.where(legal, logits, -np.inf)
    shifted = np.exp(shifted - shifted.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


class NetworkPolicy:
    """Plays by the network: each action is drawn from the probabilities that it gives."""

    network: Network

    def __init__(self, player: int, num_players: int, game: dict[str, Any], seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311
        self._observer = Observer()  # type: ignore[name-defined]  # noqa: F821 - of the game
        size = self.network.from_hidden.shape[1]
        self._hidden = np.zeros((1, size), dtype=np.float32)
        self._cell = np.zeros((1, size), dtype=np.float32)
        self.probability_of_actions: list[float] = []
        self.value = 0.0

    def act(self, obs: dict[str, Any]) -> int:
        inputs = np.array([self._observer.features(obs)], dtype=np.float32)
        self._hidden, self._cell, output = self.network.step(inputs, self._hidden, self._cell)
        actions = output.shape[1] - 1
        legal = np.array([[action in obs["legal_actions"] for action in range(actions)]])
        chances = probabilities(output[:, :actions], legal)[0]
        self.probability_of_actions = [round(float(chance), 4) for chance in chances]
        self.value = round(float(output[0, actions]), 4)
        draw = self._random.random()
        for action in obs["legal_actions"]:
            draw -= float(chances[action])
            if draw < 0:
                return int(action)
        return int(max(obs["legal_actions"], key=lambda action: chances[action]))
