"""Games and players as a person names them on the command line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from csro_web.cli.errors import CommandFailure, WrongUsage
from csro_web.cli.files import read_policy
from games.base import Game, GameError
from games.players import BotPlayer, CodePlayer, source_sha256
from games.registry import get_game

BOT, POLICY = "bot:", "policy:"
HASH = re.compile(r"[0-9a-f]{8,64}")


def load_game(name: str, params: Sequence[tuple[str, str]]) -> Game:
    """The game with ``--param`` applied; a wrong name or parameter names the allowed ones."""
    try:
        return get_game(name, dict(params))
    except GameError as error:
        raise WrongUsage(str(error)) from None


def load_player(text: str, game: Game) -> CodePlayer | BotPlayer:
    """``bot:NAME``, ``policy:ID``, a hash (8 to 64 hex digits) or a file.

    A file that exists is meant before a hash of the same spelling. Policies by ID or hash come from
    the database, which is opened only for them.
    """
    if text.startswith(BOT):
        return _bot(text.removeprefix(BOT), game)
    if text.startswith(POLICY):
        return _stored_by_id(text.removeprefix(POLICY), game)
    if HASH.fullmatch(text) and not Path(text).exists():
        return _stored_by_hash(text, game)
    return CodePlayer(read_policy(text))


def _bot(name: str, game: Game) -> BotPlayer:
    known = [bot.name for bot in game.bots()]
    if name not in known:
        raise WrongUsage(f"{game.name} has no bot named {name!r}; it has {', '.join(known)}")
    return BotPlayer(name)


def _stored_by_id(text: str, game: Game) -> CodePlayer | BotPlayer:
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise WrongUsage(f"{POLICY}{text} is not policy:ID, with the number of a policy's page")
    found = _policies(id=int(text))
    if not found:
        raise CommandFailure(f"there is no policy {text} in this database")
    source, origin, name, played = found[0]
    if played != game.name:
        raise CommandFailure(f"policy {text} plays {played}, not {game.name}")
    return BotPlayer(name) if origin == "bot" else CodePlayer(source)


def _stored_by_hash(prefix: str, game: Game) -> CodePlayer:
    sources = {
        source
        for source, origin, _, played in _policies(sha256__startswith=prefix)
        if origin != "bot" and played == game.name
    }
    if not sources:
        raise CommandFailure(
            f"there is neither a file {prefix} nor a {game.name} policy with such a hash"
        )
    if len(sources) > 1:
        hashes = sorted(source_sha256(source)[:16] for source in sources)
        raise CommandFailure(
            f"{prefix} begins several hashes ({', '.join(hashes)}); write more of it"
        )
    return CodePlayer(sources.pop())


def _policies(**where: object) -> list[tuple[str, str, str, str]]:
    """``(source, origin, name, game)`` of the policies that fit."""
    from csro_web.cli.django_commands import database_name, set_up_django

    problem = set_up_django()
    if problem:
        raise CommandFailure(problem)
    from django.db.utils import DatabaseError

    from csro_web.policies.models import Policy

    try:
        fields = ("source", "origin", "name", "run__game")
        return list(Policy.objects.filter(**where).values_list(*fields)[:1000])
    except DatabaseError as error:
        raise CommandFailure(
            f"the database {database_name()} cannot be read ({error}); ./csro run makes one, or "
            "correct DATABASE_URL"
        ) from error
