"""The catalogue of predictors: each looks at the throws so far and names the next one.

A predictor is never taken at its word: the printed program counts how far off it is (by 0, 1 or 2
steps round the circle), so one predictor also covers an opponent that second-guesses it (the ladder
P0, P1, P2 of the RoShamBo tournaments), and a predictor of *our* throws covers P'0, P'1, P'2.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class Predictor:
    """A line of the printed program: ``expression``, and ``meaning`` as the comment beside it."""

    name: str
    expression: str
    """A throw; or, with ``counted``, the ending of a text whose usual sequel is the throw."""
    meaning: str = ""
    """Empty where the expression speaks for itself."""
    counted: bool = False


PATTERNS = (
    Predictor(
        "their_pattern_in_both",
        "theirs[like_both]",
        "what they threw when the game last went like this",
    ),
    Predictor(
        "my_pattern_in_both",
        "mine[like_both]",
        "what I threw then, which a reader of me expects again",
    ),
    Predictor(
        "their_own_pattern",
        "theirs[like_theirs]",
        "their longest repeated sequence: a script or a habit",
    ),
    Predictor(
        "my_pattern_in_theirs",
        "mine[like_theirs]",
        "what I did when they last came along this way",
    ),
    Predictor(
        "their_answer_to_me",
        "theirs[like_mine]",
        "what my last throws led them to before",
    ),
    Predictor(
        "my_own_pattern",
        "mine[like_mine]",
        "my longest repeated sequence, since they may know it",
    ),
)


def _usual(ending: str, text: str, length: int) -> Predictor:
    return Predictor(f"usual_after_{ending}", f"self.{text}[-{length}:]", counted=True)


HABITS = (
    _usual("one_exchange", "both_text", 1),
    _usual("two_exchanges", "both_text", 2),
    _usual("three_exchanges", "both_text", 3),
    _usual("two_of_theirs", "their_text", 2),
    _usual("three_of_theirs", "their_text", 3),
    _usual("five_of_theirs", "their_text", 5),
    _usual("two_of_mine", "my_text", 2),
    _usual("three_of_mine", "my_text", 3),
)

SIMPLE = (
    Predictor("their_bias", "0", "Rock, a fixed point to measure their preferences from"),
    Predictor("their_rotation", "theirs[-1]", "to measure their next step from"),
    Predictor("their_reaction", "mine[-1]", "to measure their reaction from"),
    Predictor(
        "their_acceleration",
        "(2 * theirs[-1] - theirs[-2:][0]) % 3",
        "where their last step leads to",
    ),
    Predictor(
        "their_clock",
        "len(theirs) % 3",
        "the number of the throw, in case they only look at the time",
    ),
    Predictor(
        "my_favourite",
        "max(range(3), key=mine[-20:].count)",
        "who counts my throws aims at it",
    ),
    Predictor(
        "their_favourite",
        "max(range(3), key=theirs[-20:].count)",
        "their favourite of late",
    ),
)

PREDICTORS = PATTERNS + HABITS + SIMPLE
BY_NAME = {predictor.name: predictor for predictor in PREDICTORS}


def canonical(expression: str | ast.expr) -> str:
    """The expression as ``ast`` prints it, so that layout makes no difference."""
    if isinstance(expression, str):
        expression = ast.parse(expression, mode="eval").body
    return ast.unparse(expression)


NAME_OF = {canonical(predictor.expression): predictor.name for predictor in PREDICTORS}

CORE = (
    "their_pattern_in_both",
    "my_pattern_in_both",
    "their_own_pattern",
    "my_own_pattern",
    "usual_after_two_exchanges",
    "usual_after_three_of_theirs",
    "usual_after_two_of_mine",
    "their_bias",
    "their_rotation",
)
"""What every program keeps, whatever the opponents at hand: it will meet others."""

MIRROR = "mirror"
"""Stands beside the names of predictors for the block that answers the grammar's own kind."""
