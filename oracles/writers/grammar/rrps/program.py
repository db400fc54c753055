"""Print a recipe as the program that a person reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from oracles.writers.grammar.printing import comment, docstring
from oracles.writers.grammar.rrps.predictors import BY_NAME, Predictor
from oracles.writers.grammar.rrps.recipe import Recipe

_CONSTANTS = """
# Short memories follow a change of plan, long ones trust slow evidence.
MEMORIES = {memories!r}
# Lengths of the endings that are looked up, the most telling first.
ENDINGS = {endings!r}
# The higher, the less a mediocre forecast can outvote a good one.
SHARPNESS = {sharpness}
# When my choices have lost so many throws net, I throw at random, until the same choices,
# had I played them, would have won so many of the latest throws.
PATIENCE = {patience}
PROOF = {proof}
"""

_PLAIN = """
    def __init__(self, player: int, num_players: int, game: dict, seed: int) -> None:
        self.rng = random.Random(seed)
        self.reader = Reader()
        self.choice, self.played = 0, False
        self.won, self.form = 0, 0.0

    def act(self, obs: dict) -> int:
        mine, theirs = obs["my_actions"], obs["opponent_actions"]
        if not theirs:
            return self.rng.randrange(3)
        self.take_stock(theirs[-1])
        self.choice = self.reader.reply(mine, theirs)
        # Whoever reads me well cannot read a die.
        self.played = self.won >= -PATIENCE or self.form >= PROOF
        return self.choice if self.played else self.rng.randrange(3)
"""

_MIRRORED = """
    def __init__(self, player: int, num_players: int, game: dict, seed: int) -> None:
        self.rng = random.Random(seed)
        self.reader = Reader()
        # {mirror}
        self.mirror = Reader()
        self.second_thoughts = Jury()
        self.first, self.first_form = 0, 0.0
        self.choice, self.played = 0, False
        self.won, self.form = 0, 0.0

    def act(self, obs: dict) -> int:
        mine, theirs = obs["my_actions"], obs["opponent_actions"]
        if not theirs:
            return self.rng.randrange(3)
        self.take_stock(theirs[-1])
        self.second_thoughts.judge(theirs[-1])
        # My first thought is what they expect if they read me; theirs, what they throw if they do.
        self.first = self.reader.reply(mine, theirs)
        thoughts = [self.first, self.mirror.reply(theirs, mine)]
        second = self.second_thoughts.verdict(thoughts, otherwise=self.first)
        self.choice = self.first if self.first_form >= PROOF else second
        # Whoever reads me well cannot read a die.
        self.played = self.won >= -PATIENCE or self.form >= PROOF
        return self.choice if self.played else self.rng.randrange(3)
"""

_TAKE_STOCK = '''
    def take_stock(self, thrown: int) -> None:
        """How my choices are doing: those that I played, and of late also those that I did not."""
        gain = (0, 1, -1)[(self.choice - thrown) % 3]
        self.won += gain if self.played else 0
        self.form = 0.98 * self.form + gain
'''

_TAKE_STOCK_OF_FIRST = """
        # Where first thoughts win clearly, second ones would only cost.
        self.first_form = 0.98 * self.first_form + (0, 1, -1)[(self.first - thrown) % 3]
"""

_JURY = '''
class Jury:
    """Hears forecasts and knows what it would have won to act on each, rightly corrected."""

    def __init__(self) -> None:
        self.forecasts: list[int] = []
        # By memory and forecast: net wins of correcting the forecast by 0, 1 or 2 steps.
        self.records: list[list[list[float]]] = []
        self.weights = [1.0 for _ in MEMORIES]

    def judge(self, thrown: int) -> None:
        """Credit every forecast with how far off it was: that error is what gets exploited."""
        errors = [(thrown - forecast) % 3 for forecast in self.forecasts]
        for board, records in enumerate(self.records):
            # Growing the weight of new throws is the same as fading all the old ones.
            self.weights[board] = weight = self.weights[board] / MEMORIES[board]
            for record, error in zip(records, errors):
                record[error] += weight  # beating forecast + error would have won
                record[error - 2] -= weight  # beating the throw after that would have lost

    def verdict(self, forecasts: list[int], otherwise: int) -> int:
        """The throw with most votes; each forecast votes with the strength of its record."""
        self.records = self.records or [[[0.0] * 3 for _ in forecasts] for _ in MEMORIES]
        self.forecasts = forecasts
        votes = [0.0, 0.0, 0.0]
        for records, weight, memory in zip(self.records, self.weights, MEMORIES):
            # In units of what luck alone would give, so that short memories do not shout.
            luck = weight / (1 - memory**2) ** 0.5
            for record, forecast in zip(records, forecasts):
                best = max(record)
                if best > 0:
                    expected = forecast + record.index(best)
                    votes[(expected + 1) % 3] += (best / luck) ** SHARPNESS
        return votes.index(max(votes)) if any(votes) else otherwise
'''

_READER = '''
class Reader:
    """Answers one side's throws out of the past of both."""

    def __init__(self) -> None:
        self.jury = Jury()
        self.both_text = self.their_text = self.my_text = ""
        # What followed the endings of the texts, as counts of Rock, Paper and Scissors.
        self.sequels: dict[str, list[float]] = {}
        self.endings: tuple[str, ...] = ()

    def reply(self, mine: list[int], theirs: list[int]) -> int:
        """Learn from the last exchange, then choose for the next."""
        self.jury.judge(theirs[-1])
        self.remember(mine[-1], theirs[-1])
        return self.jury.verdict(self.forecasts(mine, theirs), otherwise=theirs[-1])

    def remember(self, my_throw: int, their_throw: int) -> None:
        """Count what followed the last endings, and write the exchange down."""
        for ending in self.endings:
            counts = self.sequels.setdefault(ending, [0.0, 0.0, 0.0])
            counts[:] = [0.95 * count for count in counts]  # what is long ago fades
            counts[their_throw] += 1
        # Each text has letters of its own, so that one table holds the endings of all.
        self.both_text += "abcdefghi"[3 * my_throw + their_throw]
        self.their_text += "RPS"[their_throw]
        self.my_text += "rps"[my_throw]
        self.endings = (
{endings}
        )

    def forecasts(self, mine: list[int], theirs: list[int]) -> list[int]:
        """The throws to be expected, each for a reason of its own."""
        like_both, like_theirs = recall(self.both_text), recall(self.their_text)
        like_mine = recall(self.my_text)
        return [
{forecasts}
            # What mostly followed the present endings before.
            *[self.usual(ending, theirs[-1]) for ending in self.endings],
        ]

    def usual(self, ending: str, otherwise: int) -> int:
        """What mostly followed this ending; ``otherwise`` if it is new."""
        counts = self.sequels.get(ending)
        return counts.index(max(counts)) if counts else otherwise
'''

_RECALL = '''
def recall(past: str) -> int:
    """When the longest repeated ending of the past went on last; -1 if it is new."""
    for length in ENDINGS:
        start = past.rfind(past[-length:], 0, len(past) - 1)
        if start >= 0:
            return start + length
    return -1
'''


def print_program(recipe: Recipe, summary: Sequence[str], reasons: Mapping[str, str]) -> str:
    """The source of the recipe's policy, ending in a newline.

    ``summary`` are the paragraphs of the class docstring; ``reasons`` say, by predictor or block,
    which opponent calls for it.
    """
    policy, stock = _PLAIN, _TAKE_STOCK
    if recipe.mirror:
        stock += _TAKE_STOCK_OF_FIRST.lstrip("\n")
        words = "What they throw if they read me as I read them."
        policy = _MIRRORED.replace("{mirror}", f"{words} {reasons.get('mirror', '')}".strip())
    parts = [
        "import random\n",
        _CONSTANTS.format(**vars(recipe)).strip("\n") + "\n",
        f"\nclass Policy:\n{docstring(summary)}\n{policy.rstrip()}\n{stock}",
        _reader([BY_NAME[name] for name in recipe.predictors], reasons),
        _JURY,
        _RECALL,
    ]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _reader(predictors: Sequence[Predictor], reasons: Mapping[str, str]) -> str:
    def lines(counted: bool) -> str:
        chosen = [predictor for predictor in predictors if predictor.counted is counted]
        return "\n".join(line for predictor in chosen for line in _lines(predictor, reasons))

    return _READER.replace("{endings}", lines(True)).replace("{forecasts}", lines(False))


def _lines(predictor: Predictor, reasons: Mapping[str, str]) -> list[str]:
    """The predictor with its meaning, below the reason why this program has it."""
    meaning = f"  # {predictor.meaning}" if predictor.meaning else ""
    reason = comment(reasons.get(predictor.name, ""), 3)
    return [*reason, f"            {predictor.expression},{meaning}"]
