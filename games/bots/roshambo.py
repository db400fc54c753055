"""The 43 RoShamBo bots of OpenSpiel as one side of a batch.

The bots are C++ and draw from libc's ``random()``, of which a process has a single stream. Every
episode therefore gets a stream of its own (``initstate``), switched in before its bot moves; the
numbers are those of ``srandom(seed)`` in a process of its own.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import pyspiel

from games.bots.roshambo_names import DETERMINISTIC

NUM_THROWS = 1000
"""With fewer throws greenberg writes outside its memory; beyond them any bot kills the process."""

_STATE_BYTES = 128
Stream = ctypes.Array[ctypes.c_char]

# PyDLL keeps the GIL over these calls: they are far shorter than giving it back.
_libc = ctypes.PyDLL(None)
_initstate = _libc.initstate
_initstate.argtypes = [ctypes.c_uint, ctypes.c_char_p, ctypes.c_size_t]
_initstate.restype = None
_setstate = _libc.setstate
_setstate.restype = None

_home: Stream = ctypes.create_string_buffer(_STATE_BYTES)
"""Where libc's stream rests between batches: never in memory that was given back."""
_initstate(0, _home, _STATE_BYTES)

_PAIRS = (
    tuple([code // 3, code % 3] for code in range(9)),
    tuple([code % 3, code // 3] for code in range(9)),
)
"""By seat and 3 * own throw + opponent's throw: the joint action, player 0 first."""


_Seat = tuple[Callable[[Any], int], Any, Callable[[list[int]], None], Stream]
"""Of one episode: the bot's step, the state, its ``apply_actions`` and libc's random stream."""


def _game() -> Any:
    return pyspiel.load_game(
        f"repeated_game(stage_game=matrix_rps(),num_repetitions={NUM_THROWS},recall=1)"
    )


class RoshamboSide:
    """One bot instance, game state and random stream per episode.

    Messages are those of games/views/rrps_view.py, as for a policy.
    """

    def __init__(self, name: str, player: int, seeds: Sequence[int]) -> None:
        game = _game()
        self._pairs = _PAIRS[player]
        self._throws = 0
        self._message = b""
        self._seats: list[_Seat] = []
        for seed in seeds:
            stream = ctypes.create_string_buffer(_STATE_BYTES)
            _initstate(seed & 0xFFFFFFFF, stream, _STATE_BYTES)
            bot = pyspiel.make_roshambo_bot(player, name, NUM_THROWS)
            # Some constructors draw; the match starts at the beginning of the stream all the same.
            _initstate(seed & 0xFFFFFFFF, stream, _STATE_BYTES)
            state = game.new_initial_state()
            self._seats.append((bot.step, state, state.apply_actions, stream))
        _setstate(_home)
        self._draws = name not in DETERMINISTIC

    def send(self, message: bytes, decisions: int) -> None:
        if decisions != len(self._seats) or self._throws >= NUM_THROWS:
            raise ValueError(f"a RoShamBo match has exactly {NUM_THROWS} throws per episode")
        self._message = message

    def receive(self) -> bytes:
        pairs, switch, draws = self._pairs, _setstate, self._draws
        first = self._throws == 0
        self._throws += 1
        replies = []
        try:
            for (step, state, apply, stream), code in zip(self._seats, self._message, strict=True):
                if not first:
                    apply(pairs[code])
                if draws:
                    switch(stream)
                replies.append(step(state))
        finally:
            switch(_home)
        return bytes(replies)

    def violate(self, reply: int) -> int:
        raise ValueError(f"a RoShamBo bot threw {reply}")
