"""Differences between programs: complete, paired by likeness, folded, and bounded in time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from csro_web.policies import diff
from csro_web.policies.diff import Kind

LINES = st.lists(st.sampled_from(["", "a = 1", "a = 2", "b = f(a)", "return b", "x"]), max_size=14)


def cut(side: diff.Side | None) -> list[str]:
    return [side.text[start:end] for start, end in side.changed] if side else []


@given(LINES, LINES)
def test_the_left_sides_are_the_old_text_and_the_right_sides_the_new(
    old: list[str], new: list[str]
) -> None:
    rows = diff.compare("".join(f"{x}\n" for x in old), "".join(f"{x}\n" for x in new))
    assert [row.left.text for row in rows if row.left] == old
    assert [row.right.text for row in rows if row.right] == new
    assert [row.left.number for row in rows if row.left] == list(range(1, len(old) + 1))
    same = [row for row in rows if row.kind is Kind.SAME]
    assert all(row.left and row.right and row.left.text == row.right.text for row in same)


def test_only_the_tokens_that_differ_are_marked_within_a_changed_line() -> None:
    (row,) = diff.compare("    depth = window[-12:]\n", "    depth = window[-7:]\n")
    assert row.kind is Kind.CHANGED
    assert (cut(row.left), cut(row.right)) == (["12"], ["7"])


def test_an_edited_line_is_paired_with_its_edit_and_not_with_its_neighbour() -> None:
    old = "total = wins - losses\n"
    new = "import math\ntotal = wins - losses - ties\n"
    assert [row.kind for row in diff.compare(old, new)] == [Kind.ADDED, Kind.CHANGED]


def test_lines_that_share_little_are_a_removal_and_an_addition() -> None:
    kinds = [row.kind for row in diff.compare("alpha(beta)\n", "return 7 % 3\n")]
    assert kinds == [Kind.REMOVED, Kind.ADDED]


def test_what_is_far_from_a_change_is_folded_and_three_lines_stay_open() -> None:
    old = [f"line {number}" for number in range(40)]
    new = [*old[:20], "changed", *old[21:]]
    blocks = diff.fold(diff.compare("\n".join(old), "\n".join(new)))
    assert (blocks[0].folded, len(blocks[0].rows)) == (True, 17)
    assert [block.folded for block in blocks] == [True, False, True]


def test_identical_texts_have_no_differences_whatever_their_line_ends() -> None:
    assert diff.totals(diff.compare("a\r\nb\r\n", "a\nb")).identical


def test_thousands_of_equal_lines_are_compared_without_matching_all_with_all() -> None:
    old, new = "start\n" + "pass\n" * 9000 + "x\n", "begin\n" + "pass\n" * 8000 + "y\n"
    rows = diff.compare(old, new)
    assert sum(1 for row in rows if row.left) == 9002
    assert sum(1 for row in rows if row.right) == 8002


@given(LINES, LINES)
def test_swapping_the_sides_swaps_what_was_added_and_what_was_removed(
    old: list[str], new: list[str]
) -> None:
    there = diff.compare("\n".join(old), "\n".join(new))
    back = diff.compare("\n".join(new), "\n".join(old))
    swapped = {Kind.ADDED: Kind.REMOVED, Kind.REMOVED: Kind.ADDED}
    mirrored = {(swapped.get(row.kind, row.kind), row.right, row.left) for row in back}
    assert {(row.kind, row.left, row.right) for row in there} == mirrored


def test_a_line_that_stands_once_in_either_text_holds_its_place_among_many_alike() -> None:
    old = ["    pass"] * 6 + ["def act(self, obs):"] + ["    pass"] * 2
    new = ["    pass"] * 2 + ["def act(self, obs):"] + ["    pass"] * 7
    rows = diff.compare("\n".join(old), "\n".join(new))
    assert [
        (row.left.number, row.right.number)
        for row in rows
        if row.left and row.right and "def act" in row.left.text
    ] == [(7, 3)]
