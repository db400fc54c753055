"""How opponents are shown to a writer: their code, a summary, or nothing at all."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache

from games.base import Game
from games.players import BotPlayer
from oracles.config import ContextMode, OpponentChoice
from oracles.mixture import support
from oracles.state import PolicyRecord
from oracles.task import OpponentView

TOP = 5
"""Opponents that ``top5`` shows (CSRO, "Top5")."""
MAX_SUMMARY = 600


def shown_opponents(choice: OpponentChoice, sigma: Sequence[float]) -> list[int]:
    """Indexes of the policies that the writer is shown, heaviest first."""
    if choice is OpponentChoice.SUPPORT:
        return support(sigma)
    heaviest_first = sorted(range(len(sigma)), key=lambda index: (-sigma[index], index))
    return heaviest_first[:TOP] if choice is OpponentChoice.TOP5 else heaviest_first


def opponent_views(
    game: Game,
    mode: ContextMode,
    choice: OpponentChoice,
    population: Sequence[PolicyRecord],
    sigma: Sequence[float],
) -> tuple[OpponentView, ...]:
    """The opponents as ``mode`` shows them, heaviest first; none at all in mode ``none``."""
    if mode is ContextMode.NONE:
        return ()
    return tuple(
        _view(game, mode, population[index], sigma[index])
        for index in shown_opponents(choice, sigma)
    )


def _view(game: Game, mode: ContextMode, policy: PolicyRecord, weight: float) -> OpponentView:
    if isinstance(policy.player, BotPlayer):
        summaries = {bot.name: bot.summary for bot in game.bots()}
        return OpponentView(policy.name, weight, None, summaries[policy.player.name])
    summary = program_summary(policy.player.source)
    code = policy.player.source if mode is ContextMode.CODE else None
    return OpponentView(policy.name, weight, code, summary)


@lru_cache(maxsize=1024)
def program_summary(source: str) -> str | None:
    """What a program says of itself: the docstring of its policy class, else of its module."""
    tree = ast.parse(source)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    texts = [ast.get_docstring(node) for node in reversed(classes)] + [ast.get_docstring(tree)]
    return next((text[:MAX_SUMMARY] for text in texts if text), None)
