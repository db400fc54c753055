"""Print a recipe as the program that a person reads."""

from __future__ import annotations

from collections.abc import Mapping

from oracles.writers.grammar.printing import Block, comment, docstring, indent, with_needs
from oracles.writers.grammar.rrps.predictors import CATALOGUE, PREDICTORS
from oracles.writers.grammar.rrps.recipe import Recipe

_ACT = """
def act(self, obs: dict) -> int:
    self.mine, self.theirs = obs["my_actions"], obs["opponent_actions"]
    if not self.theirs:
        return self.rng.randrange(3)
    self.judge_forecasts(self.theirs[-1])
{remember}
    self.forecasts = [predict() for predict in self.predictors]
    self.reply = self.elect_reply()
    if obs["my_score"] < -self.PATIENCE and self.form < self.PROOF:
        # Whoever reads me this well cannot read a die.
        return self.rng.randrange(3)
    return self.reply
"""

_REMEMBER = '''
def remember(self, my_throw: int, their_throw: int) -> None:
    """Take in the last exchange."""
{learn}
'''

_JUDGE = '''
def judge_forecasts(self, thrown: int) -> None:
    """Credit every forecast with how far off it was: that error is what gets exploited."""
    # How my own choice is doing lately, also while I shelter and do not play it.
    self.form = 0.98 * self.form + (0, 1, -1)[(self.reply - thrown) % 3]
    for board, memory in enumerate(self.MEMORIES):
        # Growing the credit of new throws is the same as fading all the old ones.
        self.credit[board] /= memory
        credit = self.credit[board]
        for record, forecast in zip(self.records[board], self.forecasts):
            off = (thrown - forecast) % 3
            record[off] += credit  # beating forecast + off would have won
            record[off - 2] -= credit  # beating the throw after that would have lost
'''

_ELECT = '''
def elect_reply(self) -> int:
    """Let each forecast, corrected by its best error, vote with the strength of its record."""
    votes = [0.0, 0.0, 0.0]
    for records, credit, memory in zip(self.records, self.credit, self.MEMORIES):
        # In units of what luck alone would give, so that short memories do not shout.
        scale = (1 - memory**2) ** 0.5 / credit
        for record, forecast in zip(records, self.forecasts):
            best = max(record)
            if best > 0:
                expected = forecast + record.index(best)
                votes[(expected + 1) % 3] += (best * scale) ** self.SHARPNESS
    if not any(votes):
        return self.rng.randrange(3)  # nothing has predicted anything yet
    return votes.index(max(votes))
'''


def _constants(recipe: Recipe, blocks: tuple[Block, ...]) -> list[str]:
    lines = [
        *comment(
            "Short memories follow a change of plan, long ones trust slow evidence."
            if len(recipe.memories) > 1
            else "How much of a forecast's record survives each throw.",
            1,
        ),
        f"    MEMORIES = {recipe.memories!r}",
    ]
    if any(block.name == "recall" for block in blocks):
        lines += [
            *comment("Lengths of the endings that are looked up, the most telling first.", 1),
            f"    ENDINGS = {recipe.endings!r}",
        ]
    lines += [
        *comment("The higher, the less a mediocre forecast can outvote a good one.", 1),
        f"    SHARPNESS = {recipe.sharpness}",
        *comment(
            "After this many net losses I throw at random, until my choices, had I played them, "
            "prove better by so many recent wins.",
            1,
        ),
        f"    PATIENCE = {recipe.patience}",
        f"    PROOF = {recipe.proof}",
    ]
    return lines


def _constructor(
    recipe: Recipe, blocks: tuple[Block, ...], reasons: Mapping[str, str]
) -> list[str]:
    lines = [
        "    def __init__(self, player: int, num_players: int, game: dict, seed: int) -> None:",
        "        self.rng = random.Random(seed)",
    ]
    setup = [statement for block in blocks for statement in block.setup]
    if setup:
        lines += ["        " + statement for statement in setup]
    lines.append("        self.predictors = (")
    for name in recipe.predictors:
        if name in reasons:
            lines += comment(reasons[name], 3)
        lines.append(f"            self.{name},")
    lines += [
        "        )",
        "        self.forecasts: list[int] = []",
        *comment("By memory and predictor: net wins of correcting the forecast by 0, 1 or 2.", 2),
        "        self.records = [[[0.0] * 3 for _ in self.predictors] for _ in self.MEMORIES]",
        "        self.credit = [1.0 for _ in self.MEMORIES]",
        "        self.reply = 0",
        "        self.form = 0.0",
    ]
    return lines


def print_program(recipe: Recipe, summary: list[str], reasons: Mapping[str, str]) -> str:
    """The source of the recipe's policy, ending in a newline.

    ``summary`` are the paragraphs of the class docstring; ``reasons`` say, by predictor, why this
    program has it.
    """
    blocks = with_needs(recipe.predictors, CATALOGUE)
    predictors = {block.name for block in PREDICTORS}
    # A predictor's own tables must be learnt from before the texts that index them grow.
    learners = sorted(blocks, key=lambda block: block.name not in predictors)
    learn = [statement for block in learners for statement in block.learn]
    parts = [
        "\n".join(_constants(recipe, blocks)),
        "\n".join(_constructor(recipe, blocks, reasons)),
        indent(
            _ACT.format(
                remember="    self.remember(self.mine[-1], self.theirs[-1])" if learn else ""
            ).replace("\n\n", "\n")
        ),
    ]
    if learn:
        statements = "\n".join("    " + statement for statement in learn)
        parts.append(indent(_REMEMBER.format(learn=statements)))
    parts += [indent(_JUDGE), indent(_ELECT)]
    parts += [indent(block.method) for block in blocks if block.method]
    head = ["import random", "", "", "class Policy:", docstring(summary), ""]
    return "\n".join(head) + "\n" + "\n\n".join(parts) + "\n"
