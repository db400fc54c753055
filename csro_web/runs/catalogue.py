"""What the games are called and counted in, for pages."""

from __future__ import annotations

from dataclasses import dataclass

from csro_web.runs.models import Run
from games.base import GameError
from games.registry import game_names, get_game


@dataclass(frozen=True)
class GameFacts:
    name: str
    title: str
    unit: str


def game_facts(name: str) -> GameFacts:
    """Title and payoff unit; a game of a later version that this one lacks keeps its bare name."""
    try:
        game = get_game(name)
    except GameError:
        return GameFacts(name, name, "")
    return GameFacts(name, game.title, game.payoff_unit)


def facts_of(run: Run) -> GameFacts:
    return game_facts(run.game)


def game_choices() -> list[tuple[str, str]]:
    return [(name, game_facts(name).title) for name in game_names()]
