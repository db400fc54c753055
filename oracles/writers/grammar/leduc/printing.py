"""Print a plan as a program: docstring with the strategy in words, tables, methods."""

from __future__ import annotations

from oracles.writers.grammar.leduc import blocks
from oracles.writers.grammar.leduc.bases import BASES, HANDS, BaseTable
from oracles.writers.grammar.leduc.plan import Answer, Memory, Plan, Reading, Suspect
from oracles.writers.grammar.printing import comment, docstring

_COLUMNS = (
    "Percent: bet when first, bet after a check, fold to a bet, raise a bet, fold to a re-raise."
)

_ANSWER_WORDS = {
    Answer.LOOKAHEAD: "by following every line of the betting round to its end",
    Answer.POT_ODDS: "by comparing what folding, calling and raising win on average",
}
_READING_WORDS = {
    Reading.HONEST: "It takes raises for strength and folds for weakness, though never fully.",
    Reading.MEASURED: "How far raises mean strength it learns from the hands shown down.",
    Reading.NONE: "It does not read cards from actions: these opponents ignore what they hold.",
}
_MEMORY_WORDS = {
    Memory.WHOLE: "All past hands count alike.",
    Memory.FADING: "Old hands slowly stop counting, since the opponent may change.",
}
_USUAL = """
FACING = ("a check", "a bet", "a re-raise")
# How often balanced players fold, call and raise, by (round, what they face): lowest, highest.
USUAL = {
    (1, "nothing"): ((0.00, 0.00), (0.30, 1.00), (0.00, 0.70)),
    (1, "a check"): ((0.00, 0.00), (0.20, 0.40), (0.60, 0.80)),
    (1, "a bet"): ((0.32, 0.66), (0.20, 0.65), (0.00, 0.31)),
    (1, "a re-raise"): ((0.00, 0.05), (0.95, 1.00), (0.00, 0.00)),
    (2, "nothing"): ((0.00, 0.00), (0.70, 0.91), (0.09, 0.30)),
    (2, "a check"): ((0.00, 0.00), (0.55, 0.77), (0.23, 0.45)),
    (2, "a bet"): ((0.30, 0.80), (0.10, 0.56), (0.01, 0.18)),
    (2, "a re-raise"): ((0.20, 1.00), (0.00, 0.80), (0.00, 0.00)),
}
"""
Shares = tuple[float, float, float]

_PROFILES: dict[Suspect, tuple[str, tuple[Shares, Shares, Shares]]] = {
    Suspect.COIN_FLIPPER: (
        "takes any legal action with the same chance",
        ((0.01, 0.49, 0.50), (0.33, 0.34, 0.33), (0.50, 0.49, 0.01)),
    ),
    Suspect.BULLY: (
        "raises two times out of three and hates to fold",
        ((0.01, 0.34, 0.65), (0.10, 0.30, 0.60), (0.15, 0.84, 0.01)),
    ),
    Suspect.STATION: (
        "calls nearly everything",
        ((0.01, 0.84, 0.15), (0.05, 0.85, 0.10), (0.05, 0.94, 0.01)),
    ),
    Suspect.ROCK: (
        "waits for a good hand and gives up the rest",
        ((0.01, 0.79, 0.20), (0.65, 0.25, 0.10), (0.50, 0.49, 0.01)),
    ),
}


def print_program(plan: Plan) -> str:
    """The source of a plan; different :meth:`Plan.normal` plans give different text."""
    base = BASES[plan.base]
    module = ["import math\nimport random\n", _constants(plan), _tables(base)]
    module += [_USUAL, _suspects(plan), "\n\n", _policy(plan, base), "\n"]
    functions = [blocks.SURPRISE, blocks.EDGES, blocks.HAND_NAME]
    return "".join(module) + "\n".join(functions)


def _docstring(plan: Plan, base: BaseTable) -> str:
    known = " and ".join(f"a {suspect}" for suspect in plan.suspects)
    recognised = f" It recognises {known} early, by a profile." if known else ""
    strategy = (
        f"Against a stranger it plays from a table: {base.reason}. It counts the opponent's folds, "
        f"calls and raises in each situation. When the odds are {plan.odds} to 1 that a balanced "
        "opponent would not play like this, it leaves the table and plays the best answer to those "
        f"habits, {_ANSWER_WORDS[plan.answer]}."
    )
    paragraphs = [
        f"{base.title}, until the opponent's habits are plain.",
        strategy,
        f"{_READING_WORDS[plan.reading]} {_MEMORY_WORDS[plan.memory]}{recognised}",
    ]
    return docstring(paragraphs)


def _constants(plan: Plan) -> str:
    lines = [
        "\nFOLD, CALL, RAISE = 0, 1, 2",
        "JACK, QUEEN, KING = 0, 1, 2",
        "MINE, THEIRS, NOBODYS = 0, 1, 2",
        "UNSEEN = -1",
        "# By public card; the card that it pairs is the strongest.",
        "WEAKEST_FIRST = {UNSEEN: (0, 1, 2), JACK: (1, 2, 0), QUEEN: (0, 2, 1), KING: (0, 1, 2)}",
        "",
        f"# Odds of {plan.odds} to 1 against a balanced opponent.",
        f"PROOF = math.log({plan.odds})",
        "# Imaginary hands of usual play to begin with, so that few real ones prove nothing.",
        f"PATIENCE = {plan.patience}",
    ]
    if plan.reading is Reading.HONEST:
        lines += [
            "# Some bluff and some wait: a raise is mostly, not always, a good hand.",
            f"HONESTY = {plan.honesty}",
        ]
    if plan.memory is Memory.FADING:
        left = round(100 * plan.fading**30)
        lines += [f"# Thirty hands ago counts {left} % of now.", f"FADING = {plan.fading}"]
    return "\n".join(lines) + "\n"


def _tables(base: BaseTable) -> str:
    rows = [
        f"    {hand!r}: ".replace("'", '"').ljust(18)
        + f"({', '.join(str(base.later[who][number]) for who in ('me', 'them', 'nobody'))}),"
        for number, hand in enumerate(HANDS)
    ]
    opening = ", ".join(
        f"{card}: {row}" for card, row in zip(("JACK", "QUEEN", "KING"), base.opening, strict=True)
    )
    return "\n".join(
        [
            "",
            *comment(f"{base.title}: {base.reason}. {_COLUMNS}"),
            f"OPENING = {{{opening}}}",
            "# After the public card, by who raised last before it: me, the opponent, nobody.",
            "LATER = {",
            *rows,
            "}",
            "",
        ]
    )


def _suspects(plan: Plan) -> str:
    if not plan.suspects:
        return ""
    lines = [
        "# Players to expect: shares of folds, calls and raises facing no bet, a bet, a re-raise.",
        'PROFILE_ROW = {"nothing": 0, "a check": 0, "a bet": 1, "a re-raise": 2}',
        "SUSPECTS = {",
    ]
    for suspect in plan.suspects:
        habit, shares = _PROFILES[suspect]
        rows = ", ".join(f"({', '.join(f'{share:.2f}' for share in row)})" for row in shares)
        lines += [f"    # {habit[0].upper()}{habit[1:]}.", f'    "{suspect}": ({rows}),']
    return "\n".join([*lines, "}"]) + "\n"


def _policy(plan: Plan, base: BaseTable) -> str:
    parts = [_docstring(plan, base), _constructor(plan), _act(plan), _study(plan)]
    if plan.reading is Reading.MEASURED:
        parts.append(blocks.WEIGH_SHOWDOWN)
    parts.append(blocks.OPPONENT_ACTIONS)
    parts.append(blocks.EXPECTED_HABITS_SUSPECTS if plan.suspects else blocks.EXPECTED_HABITS)
    parts.append(blocks.BALANCED_PLAY)
    parts.append(
        blocks.BEST_ANSWER_LOOKAHEAD
        if plan.answer is Answer.LOOKAHEAD
        else blocks.BEST_ANSWER_POT_ODDS
    )
    if plan.reading is Reading.NONE:
        parts += [blocks.LIKELY_CARDS_NONE, blocks.ANSWERS_NONE]
    else:
        parts += [blocks.LIKELY_CARDS_HONEST, _answers(plan)]
    parts.append(blocks.SHOWDOWN)
    return "class Policy:\n" + "\n".join(part.strip("\n") + "\n" for part in parts)


def _constructor(plan: Plan) -> str:
    lines = [
        "    def __init__(self, player, num_players, game, seed):",
        "        self.seat = player",
        "        self.random = random.Random(seed)",
        "        self.hands_studied = 0",
        "        # Log odds that the opponent is not a balanced player.",
        "        self.evidence = 0.0",
        "        self.habits = {",
        "            situation: [PATIENCE * max(0.01, (low + high) / 2) for low, high in ranges]",
        "            for situation, ranges in USUAL.items()",
        "        }",
    ]
    if plan.suspects:
        lines.append("        self.suspicion = {name: 0.0 for name in SUSPECTS}")
    if plan.reading is Reading.MEASURED:
        lines += [
            "        # Begin by believing raises, as if four had shown a good hand.",
            "        self.raises_shown, self.strength_shown = 4.0, 3.4",
        ]
    return "\n".join(lines)


def _act(plan: Plan) -> str:
    proof = "max(self.evidence, *self.suspicion.values())" if plan.suspects else "self.evidence"
    return blocks.FIRST_STEPS.replace("{proof}", proof)


def _study(plan: Plan) -> str:
    return blocks.STUDY.format(
        fade=blocks.FADE if plan.memory is Memory.FADING else "",
        suspect=blocks.SUSPECT_STEP if plan.suspects else "",
        showdown=blocks.SHOWDOWN_STEP if plan.reading is Reading.MEASURED else "",
    )


def _answers(plan: Plan) -> str:
    if plan.reading is Reading.MEASURED:
        return blocks.ANSWERS_HONEST.format(honesty="honesty = self.honesty()", name="honesty")
    return blocks.ANSWERS_HONEST.replace("        {honesty}\n", "").format(name="HONESTY")
