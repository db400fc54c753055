"""Episodes of the learner against a mixture, played at the game's own table.

The learner sits in this process, which is trusted. Its opponents' programs do not: each runs in the
sandbox, as in a match, and the table here is the referee between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from games.base import Game
from games.batches import Single, component
from games.match import FaultKind
from games.players import MixturePlayer
from games.referee import PolicySide, open_side
from games.sandbox import Sandbox
from games.seeds import Stream, episode_seed
from games.table import FORFEIT_CODES, Seating, Side
from oracles.baselines.impala.messages import Messages, Rows, Seen

Act = Callable[[Seen], NDArray[np.int64]]
"""Chooses an action for each decision that is asked for."""


class LearnerSide:
    """The learner at one seat of some of the episodes; ``episodes`` are their numbers for it."""

    def __init__(self, messages: Messages, seat: int, act: Act, episodes: Sequence[int]) -> None:
        self._messages = messages
        self._seat = seat
        self._act = act
        self._numbers = np.array(episodes, dtype=np.int64)
        self._message = b""
        self._first = True

    def send(self, message: bytes, decisions: int) -> None:
        self._message = message

    def receive(self) -> bytes:
        seen = self._messages.read(self._message, seat=self._seat, first=self._first)
        self._first = False
        told = Seen(self._numbers[seen.episodes], seen.features, seen.rewards, seen.legal)
        return self._messages.reply(self._act(told), seen.legal)

    def violate(self, reply: int) -> int:
        raise ValueError(f"the learner answered {reply}")


class SharedSeat:
    """One seat that different sides hold in different episodes of a batch."""

    def __init__(self, messages: Messages, parts: Sequence[tuple[Side, Sequence[int]]]) -> None:
        self._messages = messages
        self._sides = [side for side, _ in parts]
        episodes = sum(len(held) for _, held in parts)
        self._holder = np.zeros(episodes, dtype=np.int64)
        self._number = np.zeros(episodes, dtype=np.int64)
        for index, (_, held) in enumerate(parts):
            self._holder[list(held)] = index
            self._number[list(held)] = np.arange(len(held))
        self._asked: list[tuple[Side, NDArray[np.int64]]] = []
        self._decisions = 0

    def send(self, message: bytes, decisions: int) -> None:
        episodes, rows = self._messages.rows(message)
        self._decisions = decisions
        holders, numbers = self._holder[episodes], self._number[episodes]
        self._asked = []
        for index, side in enumerate(self._sides):
            places = np.flatnonzero(holders == index)
            if len(places):
                part: Rows = rows[places]
                side.send(self._messages.message(part, numbers[places]), len(places))
                self._asked.append((side, places))

    def receive(self) -> bytes:
        reply = np.zeros(self._decisions, dtype=np.uint8)
        for side, places in self._asked:
            reply[places] = np.frombuffer(side.receive(), dtype=np.uint8)
        return reply.tobytes()

    def violate(self, reply: int) -> int:
        """Which side it was is not known here: the decision is forfeited, and that is enough."""
        return FORFEIT_CODES[FaultKind.PROTOCOL]


@dataclass(frozen=True)
class Round:
    """Episodes that were played side by side: what each paid the learner, in the game's unit."""

    payoffs: tuple[float, ...]
    forfeits: int
    """Decisions that opponents forfeited."""
    decisions: int
    """Decisions of both sides."""


class Tables:
    """Plays rounds of ``episodes`` episodes; who is met in each is drawn from the mixture."""

    def __init__(
        self,
        *,
        game: Game,
        messages: Messages,
        sandbox: Sandbox,
        opponents: MixturePlayer,
        episodes: int,
        seed: int,
    ) -> None:
        self._game = game
        self._messages = messages
        self._sandbox = sandbox
        self._opponents = opponents
        self._episodes = episodes
        self._seed = seed

    def play(self, number: int, act: Act) -> Round:
        """Round ``number`` (from 0): its deals, seats, opponents and their seeds are its own."""
        with ExitStack() as stack:
            seatings = [self._parts(number, seat, act, stack) for seat in (0, 1)]
            first, second = (SharedSeat(self._messages, parts) for parts in seatings)
            chance = [self._seed_of(number, e, Stream.CHANCE) for e in range(self._episodes)]
            outcome = self._game.play_batch(Seating((first, second), chance))
        payoffs = tuple(
            payoff if self._seat(episode) == 0 else -payoff
            for episode, payoff in enumerate(outcome.payoffs)
        )
        forfeits = sum(sum(counts.values()) for counts in outcome.forfeits)
        return Round(payoffs, forfeits, outcome.decisions)

    def _parts(
        self, number: int, seat: int, act: Act, stack: ExitStack
    ) -> list[tuple[Side, Sequence[int]]]:
        mine = [e for e in range(self._episodes) if self._seat(e) == seat]
        parts: list[tuple[Side, Sequence[int]]] = []
        if mine:
            parts.append((LearnerSide(self._messages, seat, act, mine), mine))
        opened = []
        for player, episodes in self._drawn(number, seat).items():
            side = open_side(
                self._game,
                player,
                seat,
                [self._seed_of(number, e, Stream.PLAYER_B) for e in episodes],
                process_seed=self._seed_of(number, episodes[0], Stream.PROCESS_B),
                sandbox=self._sandbox,
                alone=True,
            )
            if isinstance(side, PolicySide):
                stack.callback(side.close)
                opened.append(side)
            parts.append((side, episodes))
        for side in opened:
            side.start()
        return parts

    def _drawn(self, number: int, seat: int) -> dict[Single, list[int]]:
        """Who sits at ``seat`` where the learner does not."""
        drawn: dict[Single, list[int]] = {}
        for episode in range(self._episodes):
            if self._seat(episode) != seat:
                place = number * self._episodes + episode
                player = component(self._opponents, self._seed, place, Stream.COMPONENT_B)
                drawn.setdefault(player, []).append(episode)
        return drawn

    def _seat(self, episode: int) -> int:
        """The learner's seat: both in turn, where they differ."""
        return 0 if self._game.seats_symmetric else episode % 2

    def _seed_of(self, number: int, episode: int, stream: Stream) -> int:
        return episode_seed(self._seed, number * self._episodes + episode, stream)
