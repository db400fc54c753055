"""One step of the agent: an episode against one opponent, as far as it is asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from games.base import Game
from games.engine import MatchCancelled
from games.tournament import derive_seed
from games.turns import Ended, TurnByTurn
from oracles.baselines.llm_agent.reading import read_action
from oracles.baselines.llm_agent.telling import Observation, turn_messages
from oracles.config import RunConfig
from oracles.models import (
    BudgetExhausted,
    ModelAnswer,
    ModelClient,
    ModelFailed,
    ModelRefused,
    ModelRequest,
    Purpose,
)
from oracles.population import game_of
from oracles.state import Usage
from oracles.steps import StepResult, StepSpec
from oracles.text import storable

ASK_AGAIN = "That is none of the legal actions. Answer with one name or number alone: {actions}."
_UNIT = {"rrps": ("throw", "my_score"), "leduc": ("hand", "my_total")}
"""By game: what an observation counts finished units and the payoff so far by."""


class _AskedEnough(Exception):
    """No further answer is to be had for this episode; the message says why."""


@dataclass
class _Count:
    """What an episode cost, in answers and in money."""

    turns: int = 0
    calls: int = 0
    asked_again: int = 0
    forfeits: int = 0
    usage: Usage = field(default_factory=Usage)

    def paid(self, answer: ModelAnswer) -> None:
        self.calls += answer.requests
        self.usage += Usage(
            answer.requests, answer.prompt_tokens, answer.completion_tokens, answer.usd
        )

    def sent_in_vain(self, requests: int) -> None:
        """Requests without an answer count, at a cost that is unknown."""
        if requests:
            self.calls += requests
            self.usage += Usage(requests, None, None, None)


@dataclass(frozen=True)
class _Asker:
    """The way to the model for one episode at one seat."""

    config: RunConfig
    game: Game
    key: str
    models: ModelClient
    exhausted: Callable[[], str | None]
    should_stop: Callable[[], bool] | None
    count: _Count

    def decide(self, turn: int, seen: Observation) -> int | None:
        """The action for this turn, asked for at most twice; None is a forfeit.

        Raises:
            _AskedEnough: when the budget, the time or the model ended it.
        """
        key = f"{self.key}/turn{turn}"
        messages = list(turn_messages(self.game, seen, self.config.prompts))
        first = self._ask(key, messages)
        action = read_action(first, seen)
        if action is None:
            pairs = zip(seen["legal_actions"], seen["action_names"], strict=True)
            told = ASK_AGAIN.format(actions=", ".join(f"{n} = {name}" for n, name in pairs))
            self.count.asked_again += 1
            messages += [
                {"role": "assistant", "content": storable(first) or "(nothing)"},
                {"role": "user", "content": told},
            ]
            action = read_action(self._ask(f"{key}/again", messages), seen)
        self.count.turns += 1
        self.count.forfeits += action is None
        return action

    def _ask(self, key: str, messages: list[Mapping[str, str]]) -> str:
        why = self.exhausted()
        if why is not None:
            raise _AskedEnough(why)
        if self.should_stop is not None and self.should_stop():
            raise MatchCancelled("the episode was stopped before its end")
        assert self.config.model is not None
        request = ModelRequest(
            key=key,
            purpose=Purpose.TURN,
            messages=tuple(messages),
            choice=self.config.model,
            seed=derive_seed(self.config.seed, key),
        )
        try:
            answer = self.models.ask(request, self.should_stop)
        except (BudgetExhausted, ModelFailed) as error:
            self.count.sent_in_vain(error.requests)
            raise _AskedEnough(str(error)) from error
        self.count.paid(answer)
        return answer.text


def play(
    config: RunConfig,
    step: StepSpec,
    *,
    models: ModelClient | None,
    exhausted: Callable[[], str | None],
    should_stop: Callable[[], bool] | None,
) -> StepResult:
    """Do an agent step, as far as budget and model allow: what was played counts.

    Its result holds ``plays``, one per seat: ``{"seat", "units", "payoff"}``, finished throws or
    hands and the points they brought; the counts of :class:`_Count`; ``stopped``, why it ended
    early (None: it did not); and ``seed``.

    Raises:
        ModelRefused: when nothing will help but a person.
        MatchCancelled: when ``should_stop`` said so.
        EngineError: when the machine failed.
    """
    if models is None or config.model is None:
        raise ModelRefused("the agent is a language model, but none can be asked from here")
    game = game_of(config)
    opponent, episode = step.inputs["opponent"], step.inputs["episode"]
    seed = derive_seed(config.seed, f"evaluate/{opponent}")
    seats = (0,) if game.seats_symmetric else (0, 1)
    turns = math.ceil(config.agent.turns / len(seats))
    count = _Count()
    plays: list[dict[str, Any]] = []
    stopped: str | None = None
    for seat in seats:
        if stopped is not None:
            plays.append({"seat": seat, "units": 0, "payoff": 0.0})
            continue
        asker = _Asker(
            config, game, f"{step.key}/seat{seat}", models, exhausted, should_stop, count
        )
        with TurnByTurn(game, opponent, seat=seat, seed=seed, episode=episode) as table:
            played, stopped = _play(game, table, asker, turns)
        plays.append({"seat": seat, **played})
    usage = count.usage
    return {
        "plays": plays,
        "bound": game.largest_payoff,
        "turns": count.turns,
        "calls": count.calls,
        "asked_again": count.asked_again,
        "forfeits": count.forfeits,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "usd": usage.usd,
        "stopped": None if stopped is None else storable(stopped),
        "seed": seed,
    }


def _play(
    game: Game, table: TurnByTurn, asker: _Asker, turns: int
) -> tuple[dict[str, Any], str | None]:
    """Finished throws or hands at one seat with their payoff, and why it ended early.

    It goes on to the end of the hand in which the last turn is asked.
    """
    unit, score = _UNIT[game.name]
    asked, began, units, payoff = 0, -1, 0, 0.0
    while not isinstance(seen := table.next(), Ended):
        units, payoff = seen[unit], float(seen[score])
        if asked >= turns and units != began:
            return {"units": units, "payoff": payoff}, None
        try:
            action = asker.decide(asked, seen)
        except _AskedEnough as error:
            return {"units": units, "payoff": payoff}, str(error)
        asked, began = asked + 1, units
        table.decide(action)
    whole = game.game_dict()["num_throws" if unit == "throw" else "num_hands"]
    return {"units": whole, "payoff": seen.payoff}, None
