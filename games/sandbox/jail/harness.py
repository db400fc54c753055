"""The loop inside a policy's process: load the view and the policy, then answer messages.

A message is an 8-byte header (its length and the number of decisions asked for, little-endian
uint32) and its body; the answer is one int32 per decision. The first answer is one word that says
that the locks hold, sent before anything of the policy is read.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
import types
from array import array
from collections.abc import Callable
from typing import Any, Protocol

from .guard import guarded_builtins, remember_source, seed_everything
from .report import FaultLog, capture_output

LOCKED = b"LOCK"
HEADER = struct.Struct("<II")
CONSTRUCTOR_FAILED = -3

_UNCAUGHT_STATUS = 70


class View(Protocol):
    """A game as the policy sees it; games/views holds them."""

    def start(self, construct: Callable[..., Callable[..., Any] | None]) -> None: ...
    def run(self, message: memoryview, reply: array[int]) -> int: ...


def answer_forever(connection: socket.socket, faults: FaultLog) -> None:
    """Serve one job until the referee hangs up."""
    connection.sendall(LOCKED)
    message, episodes = _Receiver(connection).next()
    view, failed = _start(json.loads(bytes(message)), faults)
    codes = array("i", bytes(4 * episodes))
    for episode in failed:
        codes[episode] = CONSTRUCTOR_FAILED
    connection.sendall(codes)
    _answer(connection, view)


def _answer(connection: socket.socket, view: View) -> None:
    receiver = _Receiver(connection)
    receive, run, send = receiver.next, view.run, connection.sendall
    replies: dict[int, array[int]] = {}
    while True:
        message, decisions = receive()
        reply = replies.get(decisions)
        if reply is None:
            reply = replies[decisions] = array("i", bytes(4 * decisions))
        run(message, reply)
        send(reply)


class _Receiver:
    """Reads one message at a time into a buffer that it keeps."""

    def __init__(self, connection: socket.socket) -> None:
        self._receive_into = connection.recv_into
        self._window = memoryview(bytearray(1 << 16))

    def next(self) -> tuple[memoryview, int]:
        """The next body, valid until the call after, and how many decisions it asks for."""
        window = self._window
        got = self._receive_into(window)
        while got < HEADER.size:
            got += self._more(window[got:])
        length, decisions = HEADER.unpack_from(window)
        end = HEADER.size + length
        if end > len(window):
            grown = memoryview(bytearray(max(end, 2 * len(window))))
            grown[:got] = window[:got]
            window = self._window = grown
        while got < end:
            got += self._more(window[got:end])
        return window[HEADER.size : end], decisions

    def _more(self, window: memoryview) -> int:
        got = self._receive_into(window)
        if not got:
            raise EOFError
        return got


def _start(job: dict[str, Any], faults: FaultLog) -> tuple[View, list[int]]:
    """The view with its instances, and the episodes that have none."""
    view = _load_view(job, faults)
    seed_everything(job["seed"])
    policy_class = None
    try:
        policy_class = _load_policy(job["source"], guard_imports=job["guard_imports"])
    except Exception:  # noqa: BLE001 - the policy's own error is the result; it is reported
        faults.record(0)
    failed: list[int] = []

    def construct(
        episode: int, player: int, num_players: int, game: dict[str, Any], seed: int
    ) -> Callable[..., Any] | None:
        if policy_class is not None:
            try:
                return _construct(policy_class, player, num_players, game, seed)
            except Exception:  # noqa: BLE001 - as above
                faults.record(episode)
        failed.append(episode)
        return None

    view.start(construct)
    return view, failed


def _load_view(job: dict[str, Any], faults: FaultLog) -> View:
    namespace: dict[str, Any] = {"__name__": "view", "record_fault": faults.record}
    exec(compile(job["view"], "view.py", "exec"), namespace)  # noqa: S102 - the product's own code
    view: View = namespace["make_view"](job["setup"])
    return view


def _load_policy(source: str, *, guard_imports: bool) -> type:
    module = types.ModuleType("policy")
    sys.modules["policy"] = module
    if guard_imports:
        module.__dict__["__builtins__"] = guarded_builtins()
    remember_source("policy.py", source)
    exec(compile(source, "policy.py", "exec"), module.__dict__)  # noqa: S102 - what the jail is for
    policy_class = module.__dict__.get("Policy")
    if not isinstance(policy_class, type):
        raise TypeError("the program defines no class named Policy")
    return policy_class


def _construct(
    policy_class: type, player: int, num_players: int, game: dict[str, Any], seed: int
) -> Callable[..., Any]:
    if policy_class.__init__ is object.__init__:  # type: ignore[misc]
        instance = policy_class()
    else:
        instance = policy_class(player, num_players, dict(game), seed)
    act = instance.act
    if not callable(act):
        raise TypeError("Policy.act is not a method")
    return act  # type: ignore[no-any-return]


def main(connection: socket.socket, faults_descriptor: int) -> None:
    """Serve until the end; never returns into the zygote's code."""
    faults = FaultLog(faults_descriptor)
    capture_output()
    try:
        answer_forever(connection, faults)
    except EOFError:
        os._exit(0)
    except BaseException:  # noqa: BLE001 - SystemExit and the like end the process as a crash
        try:
            faults.record(-1)
        finally:
            os._exit(_UNCAUGHT_STATUS)
