"""The table of one episode in a process of its own (``python -m games.turns_process FD``).

It asks over the socket for each decision of one seat and plays the bot at the other. It ends with
the episode, or with the process that started it.
"""

from __future__ import annotations

import socket
import sys
from typing import Any

from games import wire
from games.base import Game
from games.referee_process import die_with_parent
from games.registry import get_game
from games.table import Seating, Side


class AskingSide:
    """A seat whose decisions are made at the other end of the socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def send(self, message: bytes, decisions: int) -> None:
        if decisions != 1:
            raise ValueError(f"one episode asks for one decision at a time, not for {decisions}")
        wire.send(self._connection, {"message": list(message)})

    def receive(self) -> bytes:
        return bytes([wire.receive(self._connection)["reply"] & 255])

    def violate(self, reply: int) -> int:
        raise ValueError(f"the other end decided for action {reply}, which is not legal")


def main(descriptor: int) -> None:
    die_with_parent()
    connection = socket.socket(fileno=descriptor)
    try:
        order = wire.receive(connection)
        game = get_game(order["game"], order["params"])
        wire.send(connection, {"payoff": _play(game, order, AskingSide(connection))})
    except (EOFError, BrokenPipeError):
        return  # the episode was left


def _play(game: Game, order: dict[str, Any], asking: Side) -> float:
    """The payoff at the asking seat."""
    seat = order["seat"]
    bot = game.bot_side(order["bot"], 1 - seat, [order["bot_seed"]])
    sides = (asking, bot) if seat == 0 else (bot, asking)
    outcome = game.play_batch(Seating(sides, [order["chance_seed"]]))
    return outcome.payoffs[0] if seat == 0 else -outcome.payoffs[0]


if __name__ == "__main__":
    main(int(sys.argv[1]))
