"""An episode against a reference bot, one decision at a time, for whoever is slow to decide.

The table of the game plays as ever, in a process of its own (games/turns_process.py), and waits
there for each decision. So an episode may be left at any point: its process is discarded, and with
it a bot that must not be played to another length than its own.
"""

from __future__ import annotations

import copy
import importlib
import os
import socket
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from games import wire
from games.base import Game
from games.engine import EngineError
from games.seeds import Stream, episode_seed

FORFEIT = -1
"""A decision that is none: the table settles it as for any policy (games/table.py)."""
_PATIENCE_SECONDS = 120.0
_ROOT = Path(__file__).parents[1]
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "CSRO_DATA_DIR")


@dataclass(frozen=True)
class Ended:
    """An episode that was played to its end: the payoff at our seat."""

    payoff: float


class TurnByTurn:
    """One episode at ``seat`` against ``bot``; a context manager that discards its process.

    Call :meth:`next` for the first observation, then :meth:`decide` and :meth:`next` in turn.

    Args:
        seed: of the match; cards and the bot's draws derive from it and ``episode``, as in a match.

    Raises:
        GameError: when the bot does not exist.
    """

    def __init__(self, game: Game, bot: str, *, seat: int, seed: int, episode: int) -> None:
        game.check_bot(bot)
        self._view = importlib.import_module(f"games.views.{game.name}_view").make_view(
            game.view_setup(seat, [0])
        )
        self._view.start(lambda *_: self._look)
        self._seen: dict[str, Any] = {}
        self._process, self._connection, self._stderr = _start()
        order = {
            "game": game.name,
            "params": game.params,
            "bot": bot,
            "seat": seat,
            "bot_seed": episode_seed(seed, episode, Stream.PLAYER_B),
            "chance_seed": episode_seed(seed, episode, Stream.CHANCE),
        }
        self._say(order)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Discard the process, also in the middle of the episode; safe to call twice."""
        self._process.kill()
        self._process.wait()
        if self._process.stdin:
            self._process.stdin.close()
        self._connection.close()
        self._stderr.close()

    def next(self) -> Mapping[str, Any] | Ended:
        """What is to be decided now, as a policy would observe it, or how the episode ended."""
        told = self._hear()
        if "payoff" in told:
            return Ended(told["payoff"])
        self._view.run(memoryview(bytes(told["message"])), array("i", [0]))
        return copy.deepcopy(self._seen)

    def decide(self, action: int | None) -> None:
        """Answer the last observation with one of its legal actions; None forfeits the decision.

        Raises:
            ValueError: on an action that is not legal.
        """
        index = FORFEIT if action is None else self._seen["legal_actions"].index(action)
        self._say({"reply": index})

    def _look(self, obs: dict[str, Any]) -> int:
        self._seen = obs
        return int(obs["legal_actions"][0])

    def _say(self, message: dict[str, Any]) -> None:
        try:
            wire.send(self._connection, message)
        except OSError as error:
            raise self._died() from error

    def _hear(self) -> dict[str, Any]:
        try:
            told: dict[str, Any] = wire.receive(self._connection)
        except (EOFError, TimeoutError) as error:
            raise self._died() from error
        return told

    def _died(self) -> EngineError:
        self._process.kill()
        self._process.wait()
        self._stderr.seek(0)
        words = self._stderr.read().decode(errors="replace").strip()[-600:]
        return EngineError(f"the process of an episode died: {words or 'it said nothing'}")


def _start() -> tuple[subprocess.Popen[bytes], socket.socket, Any]:
    ours, theirs = socket.socketpair()
    ours.settimeout(_PATIENCE_SECONDS)
    stderr = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
    with theirs:
        process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "games.turns_process", str(theirs.fileno())],
            stdin=subprocess.PIPE,
            stdout=stderr,
            stderr=stderr,
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
            cwd=_ROOT,
            env={
                **{name: os.environ[name] for name in _KEPT if name in os.environ},
                "PYTHONHASHSEED": "0",
                "OPENBLAS_NUM_THREADS": "1",
            },
        )
    return process, ours, stderr
