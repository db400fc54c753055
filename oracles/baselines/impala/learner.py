"""The learner: a recurrent actor-critic and its update (Espeholt et al. 2018, section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from oracles.baselines.impala.player import Network
from oracles.baselines.impala.vtrace import vtrace

VALUE_WEIGHT = 0.5
GRADIENT_NORM = 1.0
IMPOSSIBLE = -1e9
"""Logit of an action that is not legal."""


@dataclass(frozen=True)
class Unrolls:
    """Experience of ``B`` unrolls of up to ``T`` steps, padded at their ends.

    ``features`` is ``[T + 1, B, F]`` and ``legal`` ``[T + 1, B, A]``: the last row is what came
    after the last action. ``actions``, ``log_probabilities`` (of the actor), ``rewards``,
    ``discounts`` and ``mask`` (1 where an action was taken) are ``[T, B]``; ``hidden`` and
    ``cell``, the actor's state before the first step, ``[B, H]``.
    """

    features: NDArray[np.float32]
    legal: NDArray[np.bool_]
    actions: NDArray[np.int64]
    log_probabilities: NDArray[np.float32]
    rewards: NDArray[np.float32]
    discounts: NDArray[np.float32]
    mask: NDArray[np.float32]
    hidden: NDArray[np.float32]
    cell: NDArray[np.float32]


@dataclass(frozen=True)
class Update:
    loss: float
    entropy: float
    """Mean over the decisions, in nats."""


class Learner:
    """Parameters, their optimiser, and the same parameters as the actor and programs use them."""

    def __init__(
        self,
        *,
        inputs: int,
        hidden: int,
        actions: int,
        learning_rate: float,
        entropy: float,
        seed: int,
    ) -> None:
        torch.manual_seed(seed)
        self._lstm = nn.LSTM(inputs, hidden)
        self._head = nn.Linear(hidden, actions + 1)
        with torch.no_grad():
            self._head.weight.mul_(0.1)  # the first policy is close to uniform
            self._head.bias.zero_()
        self._parameters = [*self._lstm.parameters(), *self._head.parameters()]
        self._optimiser = torch.optim.Adam(self._parameters, lr=learning_rate, eps=1e-5)
        self._learning_rate = learning_rate
        self._entropy = entropy
        self._shape = (inputs, hidden, actions)

    def numbers(self) -> NDArray[np.float32]:
        """All weights in the order of :class:`oracles.baselines.impala.player.Network`."""
        lstm, head = self._lstm, self._head
        parts = [
            lstm.weight_ih_l0,
            lstm.weight_hh_l0,
            lstm.bias_ih_l0 + lstm.bias_hh_l0,
            head.weight,
            head.bias,
        ]
        flat: NDArray[np.float32] = np.concatenate([p.detach().numpy().ravel() for p in parts])
        return flat

    def actor(self) -> Network:
        """The network as it is now, for acting."""
        return Network(self.numbers(), *self._shape)

    def update(self, unrolls: Unrolls, *, progress: float) -> Update:
        """One step of the optimiser; the learning rate falls linearly with ``progress`` in [0, 1].

        Raises:
            FloatingPointError: when the loss is no number any more.
        """
        logits, values = self._evaluate(unrolls)
        mask = torch.from_numpy(unrolls.mask)
        decisions = mask.sum()
        log_policy = torch.log_softmax(logits, dim=-1)
        chosen = log_policy.gather(-1, torch.from_numpy(unrolls.actions).unsqueeze(-1)).squeeze(-1)
        targets, advantages = vtrace(
            rewards=unrolls.rewards,
            values=values.detach().numpy(),
            discounts=unrolls.discounts,
            log_rhos=chosen.detach().numpy() - unrolls.log_probabilities,
        )
        policy_loss = -(torch.from_numpy(advantages) * chosen * mask).sum() / decisions
        errors = torch.from_numpy(targets) - values[:-1]
        value_loss = 0.5 * (errors.square() * mask).sum() / decisions
        entropy = -((log_policy.exp() * log_policy).sum(-1) * mask).sum() / decisions
        loss = policy_loss + VALUE_WEIGHT * value_loss - self._entropy * entropy
        self._step(loss, progress)
        return Update(float(loss), float(entropy))

    def _evaluate(self, unrolls: Unrolls) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits ``[T, B, A]`` and values ``[T + 1, B]`` under the present parameters."""
        state = (torch.from_numpy(unrolls.hidden)[None], torch.from_numpy(unrolls.cell)[None])
        memory, _ = self._lstm(torch.from_numpy(unrolls.features), state)
        output = self._head(memory)
        legal = torch.from_numpy(unrolls.legal[:-1])
        logits = output[:-1, :, :-1].masked_fill(~legal, IMPOSSIBLE)
        return logits, output[..., -1]

    def _step(self, loss: torch.Tensor, progress: float) -> None:
        self._optimiser.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self._parameters, GRADIENT_NORM)
        if not torch.isfinite(norm):
            raise FloatingPointError(
                "the training diverged: choose a smaller learning_rate (impala)"
            )
        for group in self._optimiser.param_groups:
            group["lr"] = self._learning_rate * max(0.02, 1.0 - progress)
        self._optimiser.step()
