"""Differences against ``difflib.HtmlDiff``, on the same programs in the same process."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable

import numpy as np

from csro_web.policies import code, diff_shown
from csro_web.policies.diff import split_lines
from games.benchmarks import Row

LINES = 2_000
EDITS = 300
REWRITTEN = 400
"""Lines of the rewritten pair: HtmlDiff takes minutes for a rewritten program of 2,000."""
REPEATS = 3
TARGET = 3.0
"""Our processor time over HtmlDiff's, which shows no hidden characters and bounds no work."""


def differences() -> list[Row]:
    """An edited program, a rewritten one, and five thousand equal lines."""
    rng = np.random.default_rng(1)
    old = _program(rng, LINES)
    pairs = {
        "diff-edited": (old, _edited(rng, old)),
        "diff-rewritten": (_program(rng, REWRITTEN), _program(rng, REWRITTEN)),
        "diff-equal-lines": (["pass"] * 5_000, ["pass"] * 4_999 + ["x"]),
    }
    return [_row(name, "\n".join(a), "\n".join(b)) for name, (a, b) in pairs.items()]


def _row(name: str, old: str, new: str) -> Row:
    peer = _seconds(lambda: difflib.HtmlDiff().make_table(split_lines(old), split_lines(new)))
    ours = _seconds(lambda: diff_shown.plain(old, new, highlight=code.plain_lines))
    whole = _seconds(lambda: diff_shown.programs(old, new))
    return Row(
        name=name,
        ours=ours,
        peer=peer,
        ratio=ours / peer,
        target=TARGET,
        unit="s",
        at_most=True,
        note="matched, aligned and marked within lines, as HTML, against difflib.HtmlDiff; with"
        f" colours, moves, labels and what is back it takes {whole:.3f} s",
        details={"whole_seconds": whole, "lines": [old.count("\n") + 1, new.count("\n") + 1]},
    )


def _seconds(work: Callable[[], object]) -> float:
    """Processor time of the quickest of a few tries; nothing is remembered from one to the next."""
    spent = []
    for _ in range(REPEATS):
        code.highlight.cache_clear()
        started = time.process_time()
        work()
        spent.append(time.process_time() - started)
    return min(spent)


def _program(rng: np.random.Generator, lines: int) -> list[str]:
    names = [f"value_{number}" for number in range(50)]
    found: list[str] = []
    while len(found) < lines:
        found += [f"def step_{len(found)}(a, b):", '    """One step."""']
        for _ in range(rng.integers(3, 13)):
            target, first = rng.choice(names, 2)
            found.append(f"    {target} = {first} + {rng.integers(100)}")
        found += ["    return None", ""]
    return found


def _edited(rng: np.random.Generator, program: list[str]) -> list[str]:
    """Changed, removed and added lines, here and there."""
    found = list(program)
    for number in range(EDITS):
        place = int(rng.integers(len(found)))
        if not found[place].startswith("    value"):
            continue
        kind = rng.integers(3)
        if kind == 0:
            found[place] += " * 2"
        elif kind == 1:
            del found[place]
        else:
            found.insert(place, f"    added_{number} = value_{number % 50}")
    return found
