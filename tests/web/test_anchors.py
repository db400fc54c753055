"""Threads are carried to the right lines, or are said to be lost; never to wrong ones.

Several cases are what people reported of other review tools: every comment marked outdated by a
push that did not touch its line, comments that vanish, a comment that lands on an equal line of
another function.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csro_web.policies.diff import split_lines
from csro_web.reviews.anchors import Fit, Lines, Place, carry
from tests.web.builders import FIRST, refined

TWINS = """class Policy:
    def bluff(self, hand):
        if hand == "J":
            return 0
        return 1

    def call(self, hand):
        if hand == "K":
            return 2
        return 1
"""


def place_of(old: str, new: str, first: int, last: int | None = None) -> Place:
    return carry(Lines(first, last or first), [old, new])


def number(text: str, line: str, nth: int = 1) -> int:
    found = [n for n, one in enumerate(split_lines(text), 1) if one.strip() == line]
    return found[nth - 1]


def test_an_edit_elsewhere_that_shifts_nothing_leaves_a_thread_the_same() -> None:
    new = TWINS.replace('hand == "K"', 'hand in "KQ"')
    assert place_of(TWINS, new, 4) == Place(Fit.SAME, Lines(4, 4), "            return 0")


def test_lines_above_move_a_thread_and_do_not_make_it_outdated() -> None:
    new = '"""Says what it does."""\n\n' + TWINS
    assert place_of(TWINS, new, 3, 5).fit is Fit.MOVED
    assert place_of(TWINS, new, 3, 5).lines == Lines(5, 7)


def test_an_edited_line_is_changed_and_shows_what_it_became() -> None:
    new = TWINS.replace('if hand == "J"', 'if hand in ("J", "Q")')
    found = place_of(TWINS, new, 3)
    assert (found.fit, found.lines) == (Fit.CHANGED, Lines(3, 3))
    assert found.text == '        if hand in ("J", "Q"):'


def test_a_line_put_into_the_range_is_a_change() -> None:
    new = TWINS.replace("            return 0\n", "            self.n += 1\n            return 0\n")
    assert place_of(TWINS, new, 3, 5) == Place(
        Fit.CHANGED, Lines(3, 6), "\n".join(split_lines(new)[2:6])
    )


def test_removed_lines_are_detached_even_if_an_equal_line_stands_in_another_function() -> None:
    new = TWINS.replace(TWINS[TWINS.index("    def bluff") : TWINS.index("    def call")], "")
    bluff, call = number(TWINS, "return 1", 1), number(TWINS, "return 1", 2)
    assert place_of(TWINS, new, bluff).fit is Fit.DETACHED
    assert place_of(TWINS, new, call).lines == Lines(5, 5)


def test_an_equal_line_of_a_function_that_was_rewritten_is_not_taken_for_a_removed_one() -> None:
    old = "def f():\n    x = 1\n    return value\n\ndef g():\n    y = 2\n    return value\n"
    new = "def g():\n    z = 30\n    return value\n"
    assert place_of(old, new, 3).fit is Fit.DETACHED
    assert place_of(old, new, 7) == Place(Fit.MOVED, Lines(3, 3), "    return value")


def test_functions_that_change_places_take_their_threads_along() -> None:
    bluff = TWINS[TWINS.index("    def bluff") : TWINS.index("    def call")]
    call = TWINS[TWINS.index("    def call") :]
    new = "class Policy:\n" + call + "\n" + bluff
    for nth, after in ((1, 2), (2, 1)):
        found = place_of(TWINS, new, number(TWINS, "return 1", nth))
        assert found.lines == Lines(*[number(new, "return 1", after)] * 2)
    moved = place_of(TWINS, new, number(TWINS, "def bluff(self, hand):"), 5)
    assert (moved.fit, moved.text) == (Fit.MOVED, bluff.rstrip())


def test_a_function_that_moves_and_is_edited_is_found_as_changed() -> None:
    bluff = TWINS[TWINS.index("    def bluff") : TWINS.index("    def call")]
    call = TWINS[TWINS.index("    def call") :]
    new = (
        "class Policy:\n" + call + "\n" + bluff.replace("        return 1\n", "        return 3\n")
    )
    found = place_of(TWINS, new, 2, 5)
    assert found.fit is Fit.CHANGED
    assert found.text.startswith("    def bluff(self, hand):")


def test_a_removal_that_is_taken_back_detaches_nothing() -> None:
    without = TWINS.replace('        if hand == "J":\n            return 0\n', "")
    assert carry(Lines(3, 4), [TWINS, without]).fit is Fit.DETACHED
    assert carry(Lines(3, 4), [TWINS, without, TWINS]).fit is Fit.SAME


def test_small_edits_one_after_the_other_keep_a_thread_that_one_large_edit_would_lose() -> None:
    versions = [TWINS]
    for old, new in (
        ('hand == "J"', "hand in LOW_CARDS"),
        ("if hand in LOW_CARDS", "if self.rank(hand) in LOW_CARDS"),
        ("in LOW_CARDS", "< self.threshold[hand]"),
    ):
        versions.append(versions[-1].replace(old, new))
    found = carry(Lines(3, 3), versions)
    assert found.fit is Fit.CHANGED
    assert found.text == "        if self.rank(hand) < self.threshold[hand]:"


def test_refinements_carry_every_line_of_a_real_policy() -> None:
    new = refined(FIRST, 3)
    for n, line in enumerate(split_lines(FIRST), 1):
        found = place_of(FIRST, new, n)
        if line.strip() and line in split_lines(new):
            assert found.text == line, (n, line, found)


def test_a_text_of_equal_lines_is_carried_by_the_diff_alone_and_quickly() -> None:
    old = "x = 1\n" * 5_000
    assert place_of(old, "y = 2\n" + old, 2_500).lines == Lines(2_501, 2_501)


def test_lines_that_the_text_does_not_have_are_refused() -> None:
    for lines in (Lines(0, 1), Lines(2, 1), Lines(1, 99)):
        with pytest.raises(ValueError, match="has no lines"):
            carry(lines, [TWINS, TWINS])


# Texts in which every line may have twins, and edits of them with the true fate of each line.

WORDS = ["    return value", "    self.count += 1", "", "def play(self):", "    if card == king:"]
tagged = st.lists(st.sampled_from(WORDS), min_size=1, max_size=14)


@st.composite
def histories(draw: Any) -> tuple[list[list[tuple[int, str]]], int, int]:
    """Versions of a text whose lines carry an identity, and a range of lines of the first."""
    first = list(enumerate(draw(tagged)))
    versions, fresh = [first], len(first)
    for _ in range(draw(st.integers(1, 4))):
        now = list(versions[-1])
        kind = draw(st.sampled_from(["insert", "delete", "edit", "move"]))
        at = draw(st.integers(0, max(0, len(now) - 1)))
        if kind == "insert" or not now:
            now.insert(at, (fresh, draw(st.sampled_from(WORDS))))
            fresh += 1
        elif kind == "delete":
            del now[at]
        elif kind == "edit":
            now[at] = (now[at][0], now[at][1] + f"  # {draw(st.integers(0, 3))}")
        else:
            now.insert(draw(st.integers(0, len(now) - 1)), now.pop(at))
        versions.append(now)
    a = draw(st.integers(1, len(first)))
    return versions, a, draw(st.integers(a, len(first)))


def text_of(version: list[tuple[int, str]]) -> str:
    return "".join(line + "\n" for _, line in version)


@settings(max_examples=300, deadline=None)
@given(histories())
def test_a_place_never_has_another_text_unless_it_says_changed(history: Any) -> None:
    versions, first, last = history
    texts = [text_of(version) for version in versions]
    quote = Lines(first, last).of(texts[0])
    found = carry(Lines(first, last), texts)
    if found.fit is Fit.DETACHED:
        assert found.lines is None
        return
    assert found.lines is not None
    assert 1 <= found.lines.first <= found.lines.last <= len(versions[-1])
    assert found.text == found.lines.of(texts[-1])
    assert (found.text == quote) is (found.fit is not Fit.CHANGED)
    assert (found.lines == Lines(first, last) and found.text == quote) is (found.fit is Fit.SAME)


@settings(max_examples=200, deadline=None)
@given(histories())
def test_an_unchanged_version_changes_no_place(history: Any) -> None:
    versions, first, last = history
    texts = [text_of(version) for version in versions]
    lines = Lines(first, last)
    assert carry(lines, texts[:1] * 3) == Place(Fit.SAME, lines, lines.of(texts[0]))
    assert carry(lines, [*texts, texts[-1]]) == carry(lines, texts)


@settings(max_examples=200, deadline=None)
@given(histories())
def test_carrying_on_from_a_place_is_carrying_all_the_way(history: Any) -> None:
    versions, first, last = history
    texts = [text_of(version) for version in versions]
    half_way = carry(Lines(first, last), texts[:2])
    if half_way.lines is not None:
        onwards, whole = carry(half_way.lines, texts[1:]), carry(Lines(first, last), texts)
        assert (onwards.lines, onwards.text) == (whole.lines, whole.text)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(0, 10_000), min_size=2, max_size=25, unique=True), st.data())
def test_a_line_without_a_twin_is_followed_wherever_it_goes(numbers: Any, data: Any) -> None:
    lines = [f"    step_{n}(state, {n})" for n in numbers]
    target = data.draw(st.sampled_from(lines))
    others = [line for line in lines if line != target]
    kept = data.draw(st.permutations(data.draw(st.sampled_from([others, others[1:], others[:-1]]))))
    new = list(kept)
    new.insert(data.draw(st.integers(0, len(new))), target)
    found = carry(Lines(*[lines.index(target) + 1] * 2), ["\n".join(lines), "\n".join(new)])
    assert found.lines == Lines(*[new.index(target) + 1] * 2)
    assert found.text == target
