"""The built-in writer: a program synthesiser that needs no network, key or language model.

Each game has a package here with one function ``compose(request) -> source``. It must be a pure
function of the request (all randomness from ``request.seed``), look at opponents only through
``request.opponents``, and never answer with a program that is in ``request.history``. To add a
game, put its function into :data:`COMPOSERS` under the game's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from oracles.task import Completion, WriteRequest
from oracles.writers.grammar import leduc, rrps

Compose = Callable[[WriteRequest], str]

COMPOSERS: Mapping[str, Compose] = {
    "leduc": leduc.compose,
    "rrps": rrps.compose,
}


class GrammarError(ValueError):
    """The grammar has no building blocks for this game; the message names the games it knows."""


class GrammarWriter:
    """Composes readable policies from a game's named building blocks (never a model call)."""

    name = "grammar"

    def write(self, request: WriteRequest) -> Completion:
        """Propose a program for the request; equal requests give equal completions.

        Raises:
            GrammarError: when the game has no building blocks.
        """
        game = request.game.name
        if game not in COMPOSERS:
            known = ", ".join(sorted(COMPOSERS))
            raise GrammarError(f"the grammar cannot write for {game!r}; it knows: {known}")
        source = COMPOSERS[game](request)
        return Completion(
            text=f"```python\n{source}```\n", model=None, finish_reason="stop", model_call=False
        )
