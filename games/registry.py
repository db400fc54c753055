"""The games, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.base import Game, GameError
from games.leduc import Leduc
from games.rrps import Rrps

_GAMES: dict[str, type[Game]] = {game.name: game for game in (Rrps, Leduc)}


def game_names() -> list[str]:
    """Names that :func:`get_game` knows, in the order in which people meet them."""
    return list(_GAMES)


def get_game(name: str, params: Mapping[str, Any] | None = None) -> Game:
    """The game with its parameters fixed.

    Raises:
        GameError: on an unknown name or parameter; the message names the allowed ones.
    """
    if name not in _GAMES:
        raise GameError(f"there is no game named {name!r}; known games: {', '.join(_GAMES)}")
    return _GAMES[name](params)
