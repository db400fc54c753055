"""The catalogue of predictors: each looks at the throws so far and names the next one.

A predictor is never taken at its word: the printed program counts how far off it is (by 0, 1 or 2
steps round the circle), so one predictor also covers an opponent that second-guesses it (the ladder
P0, P1, P2 of the RoShamBo tournaments), and a predictor of *our* throws covers P'0, P'1, P'2.
"""

from __future__ import annotations

from oracles.writers.grammar.printing import Block

_WORDS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}

TEXTS = (
    Block(
        "their_text",
        "their throws as text",
        setup=('self.their_text = ""',),
        learn=('self.their_text += "RPS"[their_throw]',),
    ),
    Block(
        "my_text",
        "my throws as text",
        setup=('self.my_text = ""',),
        learn=('self.my_text += "rps"[my_throw]',),  # other letters than theirs: one table for all
    ),
    Block(
        "both_text",
        "the exchanges as text",
        setup=('self.both_text = ""',),
        learn=('self.both_text += "abcdefghi"[3 * my_throw + their_throw]',),
    ),
    Block(
        "recall",
        "where the longest ending of a text stood before",
        method='''
        def recall(self, past: str) -> int:
            """When the longest repeated ending of the past went on last; -1 if it is new."""
            now = len(past) - 1
            for length in self.ENDINGS:
                start = past.rfind(past[-length:], 0, now)
                if start >= 0:
                    return start + length
            return -1
        ''',
    ),
    Block(
        "habits",
        "what followed the endings of a text",
        setup=("self.followers: dict[str, list[float]] = {}",),
        method='''
        def note_after(self, ending: str, thrown: int) -> None:
            """Count what they threw after this ending, the old cases fading."""
            counts = self.followers.setdefault(ending, [0.0, 0.0, 0.0])
            counts[:] = [0.95 * count for count in counts]
            counts[thrown] += 1

        def usual_after(self, ending: str) -> int:
            """Their usual throw after this ending; the last one again if it is new."""
            counts = self.followers.get(ending)
            return counts.index(max(counts)) if counts else self.theirs[-1]
        ''',
    ),
    Block(
        "same_for_both",
        "the moment most like this one, by both players' throws",
        setup=("self.like_both = -1",),
        learn=("self.like_both = self.recall(self.both_text)",),
        needs=("both_text", "recall"),
    ),
    Block(
        "same_for_them",
        "the moment most like this one, by their throws alone",
        setup=("self.like_theirs = -1",),
        learn=("self.like_theirs = self.recall(self.their_text)",),
        needs=("their_text", "recall"),
    ),
    Block(
        "same_for_me",
        "the moment most like this one, by my throws alone",
        setup=("self.like_mine = -1",),
        learn=("self.like_mine = self.recall(self.my_text)",),
        needs=("my_text", "recall"),
    ),
)
"""What predictors share; never chosen for itself."""


def _method(name: str, doc: str, body: str) -> str:
    lines = [f"def {name}(self) -> int:", f'    """{doc}"""']
    return "\n".join(lines + ["    " + line for line in body.strip().splitlines()])


def _look_up(name: str, text: str, who: str, need: str, idea: str, doc: str) -> Block:
    return Block(name, idea, _method(name, doc, f"return self.{who}[self.{text}]"), needs=(need,))


PATTERNS = (
    _look_up(
        "their_pattern_in_both",
        "like_both",
        "theirs",
        "same_for_both",
        "finds the longest earlier stretch of play that looks like the last throws of both sides",
        "What they threw when the game last went like this.",
    ),
    _look_up(
        "my_pattern_in_both",
        "like_both",
        "mine",
        "same_for_both",
        "reads me as a pattern matcher would, to be a step ahead of one",
        "What I threw when the game last went like this: a reader of me expects it.",
    ),
    _look_up(
        "their_own_pattern",
        "like_theirs",
        "theirs",
        "same_for_them",
        "finds their longest repeated sequence, which shows a script or a habit",
        "What they threw when their own throws last looked like this.",
    ),
    _look_up(
        "my_pattern_in_theirs",
        "like_theirs",
        "mine",
        "same_for_them",
        "asks what I did when they last came along this way",
        "What I threw when their throws last looked like this.",
    ),
    _look_up(
        "their_answer_to_me",
        "like_mine",
        "theirs",
        "same_for_me",
        "finds what my last throws led them to, which shows an opponent that only reads me",
        "What they threw when my throws last looked like this.",
    ),
    _look_up(
        "my_own_pattern",
        "like_mine",
        "mine",
        "same_for_me",
        "finds my own longest repeated sequence, since an opponent may know it too",
        "What I threw when my own throws last looked like this.",
    ),
)


_ENDING_OF = {
    "both_text": ("exchange", "exchanges", "{}_exchange"),
    "their_text": ("throw of theirs", "throws of theirs", "{}_of_theirs"),
    "my_text": ("throw of mine", "throws of mine", "{}_of_mine"),
}


def _usual(text: str, order: int) -> Block:
    one, several, pattern = _ENDING_OF[text]
    few = _WORDS[order]
    plural = "s" if text == "both_text" and order > 1 else ""
    name = "usual_after_" + pattern.format(few) + plural
    last = f"the last {one}" if order == 1 else f"the last {few} {several}"
    return Block(
        name,
        f"counts what usually follows {last}",
        _method(name, f"After {last}.", f"return self.usual_after(self.{text}[-{order}:])"),
        learn=(f"self.note_after(self.{text}[-{order}:], their_throw)",),
        needs=(text, "habits"),
    )


HABITS = (
    _usual("both_text", 1),
    _usual("both_text", 2),
    _usual("both_text", 3),
    _usual("their_text", 2),
    _usual("their_text", 3),
    _usual("their_text", 5),
    _usual("my_text", 2),
    _usual("my_text", 3),
)


def _favourite(name: str, owner: str, fade: float, idea: str, doc: str) -> Block:
    tally = name.replace("favourite", "tally")
    return Block(
        name,
        idea,
        _method(name, doc, f"return self.{tally}.index(max(self.{tally}))"),
        setup=(f"self.{tally} = [0.0, 0.0, 0.0]",),
        learn=(
            f"self.{tally} = [{fade} * count for count in self.{tally}]",
            f"self.{tally}[{owner}_throw] += 1",
        ),
    )


SIMPLE = (
    Block(
        "their_bias",
        "watches for throws that they simply prefer",
        _method(
            "their_bias", "Rock, as a fixed point to measure their preferences from.", "return 0"
        ),
    ),
    Block(
        "their_rotation",
        "watches how they move on from their own last throw",
        _method(
            "their_rotation",
            "Their last throw, to measure their next step from.",
            "return self.theirs[-1]",
        ),
    ),
    Block(
        "their_reaction",
        "watches how they react to my last throw",
        _method(
            "their_reaction",
            "My last throw, to measure their reaction from.",
            "return self.mine[-1]",
        ),
    ),
    Block(
        "their_acceleration",
        "carries on with the step they made last",
        _method(
            "their_acceleration",
            "Their next throw if they repeat their last step.",
            "return (2 * self.theirs[-1] - self.theirs[-2]) % 3 if len(self.theirs) > 1 else 0",
        ),
    ),
    Block(
        "their_clock",
        "watches for a walk round the circle that only looks at the time",
        _method(
            "their_clock",
            "The number of the throw, round the circle of three.",
            "return len(self.theirs) % 3",
        ),
    ),
    _favourite(
        "my_favourite",
        "my",
        0.95,
        "counts my own throws as a frequency counter would",
        "My most frequent throw lately: a counter of frequencies aims at it.",
    ),
    _favourite(
        "their_favourite",
        "their",
        0.95,
        "counts their throws, the recent ones most",
        "Their most frequent throw lately.",
    ),
)

PREDICTORS = PATTERNS + HABITS + SIMPLE
CATALOGUE = TEXTS + PREDICTORS
