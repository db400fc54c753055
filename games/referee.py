"""The referee: plays one batch between two sides, and settles what faults cost.

A policy that dies takes its batch with it: every episode of the batch is then played again alone,
from its own seed, and one that fails alone forfeits all of its remaining decisions. Nothing is
drawn anew, so a losing policy cannot roll again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from games.base import Game
from games.batches import Batch, BatchResult, Single, merge_reports
from games.behaviour import Tally
from games.match import NOT_READY, FaultKind, SeatReport
from games.players import BotPlayer
from games.registry import get_game
from games.sandbox import Job, Limits, PolicyFault, Sandbox
from games.seeds import Stream, episode_seed
from games.table import FORFEIT_CODES, FORFEIT_KINDS, Outcome, Seating

if TYPE_CHECKING:
    from games.sandbox import PolicyProcess
    from games.table import Side

EPISODE_CPU_SECONDS = 3.0
"""CPU that a policy may use per episode, so that a slow but legal one cannot stall a run.

A batch of N episodes may use N times that together; beyond it the policy dies of a timeout."""

_CPU_CHECK_SECONDS = 0.2


class BatchDied(Exception):
    """A policy process died while several episodes depended on it."""

    def __init__(self, kind: FaultKind) -> None:
        super().__init__(str(kind))
        self.kind = kind


class PolicySide:
    """A policy process as one side of a batch.

    With ``alone`` its death is absorbed: from then on it forfeits every decision.
    """

    def __init__(self, process: PolicyProcess, episodes: int, *, alone: bool) -> None:
        self._process = process
        self._budget = EPISODE_CPU_SECONDS * episodes
        self._alone = alone
        self._asked = 0
        self._checked = time.monotonic()
        self.death: PolicyFault | None = None

    def start(self) -> None:
        try:
            self._process.start()
        except PolicyFault as fault:
            self._die(PolicyFault(fault.kind, f"{NOT_READY}: {fault.detail}"))

    def send(self, message: bytes, decisions: int) -> None:
        self._asked = decisions
        if self.death is None:
            try:
                self._process.send(message, decisions)
            except PolicyFault as fault:
                self._die(fault)

    def receive(self) -> bytes:
        if self.death is None:
            try:
                reply = self._process.receive()
                self._check_cpu()
                return reply[::4]  # the low bytes: indexes are below 3, forfeits above -4
            except PolicyFault as fault:
                self._die(fault)
        return bytes([self._forfeit_code() & 255]) * self._asked

    def violate(self, reply: int) -> int:
        if self.death is None:
            self._die(self._process.violate(f"it answered {reply}, beyond all legal actions"))
        return self._forfeit_code()

    def report(self, forfeits: dict[int, int], tally: Tally) -> SeatReport:
        """Faults counted by kind, with what the process did and left behind."""
        left = self._process.report()
        tracebacks = [text for _, text in left.tracebacks]
        if self.death is not None:
            tracebacks.append(str(self.death))
        counts = {str(FORFEIT_KINDS[code]): count for code, count in forfeits.items()}
        return SeatReport(counts, tuple(tracebacks), left.output, tally)

    @property
    def cpu_seconds(self) -> float | None:
        return self._process.cpu_seconds()

    def close(self) -> None:
        self._process.close()

    def _check_cpu(self) -> None:
        now = time.monotonic()
        if now - self._checked < _CPU_CHECK_SECONDS:
            return
        self._checked = now
        used = self._process.cpu_seconds()
        if used is not None and used > self._budget:
            detail = f"used {used:.1f} s of CPU, {EPISODE_CPU_SECONDS:g} s are allowed per episode"
            raise PolicyFault(FaultKind.TIMEOUT, detail)

    def _die(self, fault: PolicyFault) -> None:
        self.death = fault
        self._process.close()
        if not self._alone:
            raise BatchDied(fault.kind)

    def _forfeit_code(self) -> int:
        return FORFEIT_CODES[FaultKind.CRASH if self.death is None else self.death.kind]


def play_batch(batch: Batch, sandbox: Sandbox, *, record: bool = False) -> BatchResult:
    """Play a batch to its end, whatever the policies do.

    Raises:
        GameError: when the game or a bot does not exist.
        EngineError: when the sandbox itself fails.
    """
    game = get_game(batch.game, batch.params)
    started = time.monotonic()
    try:
        return _play(game, batch, sandbox, record=record, alone=False)
    except BatchDied as death:
        parts = [
            _play(game, replace(batch, episodes=(e,)), sandbox, record=record, alone=True)
            for e in batch.episodes
        ]
        cpu = [part.cpu_seconds for part in parts if part.cpu_seconds is not None]
        return BatchResult(
            payoffs=tuple(part.payoffs[0] for part in parts),
            a=merge_reports([part.a for part in parts]),
            b=merge_reports([part.b for part in parts]),
            decisions=sum(part.decisions for part in parts),
            reproducible=death.kind is not FaultKind.TIMEOUT and all(p.reproducible for p in parts),
            seconds=time.monotonic() - started,
            cpu_seconds=sum(cpu) if len(cpu) == len(parts) else None,
            records=[record for part in parts for record in part.records],
        )


def _play(game: Game, batch: Batch, sandbox: Sandbox, *, record: bool, alone: bool) -> BatchResult:
    wall, cpu = time.monotonic(), time.process_time()
    opened: list[PolicySide] = []
    try:
        sides = tuple(_side(game, batch, seat, sandbox, opened, alone) for seat in (0, 1))
        for side in opened:
            side.start()
        chance = [episode_seed(batch.seed, e, Stream.CHANCE) for e in batch.episodes]
        outcome = game.play_batch(Seating((sides[0], sides[1]), chance, record))
        reports = [_report(sides[seat], outcome, seat) for seat in (0, 1)]
        used = [side.cpu_seconds for side in opened]
    finally:
        for side in opened:
            side.close()
    first, second = reports[::-1] if batch.swapped else reports
    sign = -1.0 if batch.swapped else 1.0
    known = [seconds for seconds in used if seconds is not None]
    total = time.process_time() - cpu + sum(known)
    timed_out = str(FaultKind.TIMEOUT)
    return BatchResult(
        payoffs=tuple(sign * payoff for payoff in outcome.payoffs),
        a=first,
        b=second,
        decisions=outcome.decisions,
        reproducible=timed_out not in first.counts and timed_out not in second.counts,
        seconds=time.monotonic() - wall,
        cpu_seconds=total if len(known) == len(used) else None,
        records=outcome.records or [],
    )


def _side(
    game: Game, batch: Batch, seat: int, sandbox: Sandbox, opened: list[PolicySide], alone: bool
) -> Side:
    is_a = (seat == 0) != batch.swapped
    player = batch.a if is_a else batch.b
    stream = Stream.PLAYER_A if is_a else Stream.PLAYER_B
    process_stream = Stream.PROCESS_A if is_a else Stream.PROCESS_B
    side = open_side(
        game,
        player,
        seat,
        [episode_seed(batch.seed, e, stream) for e in batch.episodes],
        process_seed=episode_seed(batch.seed, batch.episodes[0], process_stream),
        sandbox=sandbox,
        alone=alone,
    )
    if isinstance(side, PolicySide):
        opened.append(side)
    return side


def open_side(
    game: Game,
    player: Single,
    seat: int,
    seeds: Sequence[int],
    *,
    process_seed: int,
    sandbox: Sandbox,
    alone: bool,
) -> Side:
    """``player`` at ``seat`` with a seed per episode: a bot here, a program in the sandbox.

    A :class:`PolicySide` has yet to be started, and must be closed.
    """
    if isinstance(player, BotPlayer):
        return game.bot_side(player.name, seat, seeds)
    job = Job(
        source=player.source,
        view_source=game.view_source(),
        setup=game.view_setup(seat, seeds),
        num_episodes=len(seeds),
        seed=process_seed,
        num_actions=3,
        limits=Limits(total_cpu_seconds=EPISODE_CPU_SECONDS * len(seeds) + 60),
    )
    return PolicySide(sandbox.spawn(job), len(seeds), alone=alone)


def _report(side: Side, outcome: Outcome, seat: int) -> SeatReport:
    if isinstance(side, PolicySide):
        return side.report(outcome.forfeits[seat], outcome.tallies[seat])
    return SeatReport(tally=outcome.tallies[seat])
