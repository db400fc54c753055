"""Small policies for the tests."""

from __future__ import annotations

from textwrap import indent

from games.players import CodePlayer


def policy(act: str, *, init: str = "pass", head: str = "") -> CodePlayer:
    """A policy out of the body of ``act``, the body of ``__init__`` and what comes before both."""
    return CodePlayer(
        f"{head}\n\nclass Policy:\n"
        "    def __init__(self, player, num_players, game, seed):\n"
        f"{indent(init, ' ' * 8)}\n"
        "    def act(self, obs):\n"
        f"{indent(act, ' ' * 8)}\n"
    )


PAPER = policy("return 1")
CALLER = policy("return 1")
EMPTY = CodePlayer("")
