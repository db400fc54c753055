"""What a difference is said to be: moved blocks, lines that are back, kinds of change."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csro_web.policies import diff, program_lines
from csro_web.policies.changes import Label, changes
from csro_web.policies.moves import Move, moved_blocks
from csro_web.policies.reintroduced import Version, reintroduced

COUNT = """\
    def count(self, theirs):
        for throw in theirs:
            self.seen[throw] += 1
        return max(self.seen)
"""
ACT = """\
    def act(self, obs):
        self.favourite = self.count(obs["opponent_actions"])
        return (self.favourite + 1) % 3
"""
TELLING = [
    "total = wins - losses",
    "    depth = window[-12:]",
    "seen[throw] += 1",
    "",
    "else:",
    "x",
]
LINES = st.lists(st.sampled_from(TELLING), max_size=16)


def moves(old: str, new: str) -> list[Move]:
    return moved_blocks(diff.compare(old, new))


def labels(old: str, new: str) -> list[str]:
    rows = diff.compare(dedent(old), dedent(new))
    found = changes(rows, dedent(old), dedent(new), moved_blocks(rows))
    return [str(one.label) for one in found]


def test_a_method_that_changed_its_place_is_a_moved_block_and_both_ends_are_known() -> None:
    old, new = f"class Policy:\n{COUNT}\n{ACT}", f"class Policy:\n{ACT}\n{COUNT}"
    (move,) = moves(old, new)
    old_lines, new_lines = old.splitlines(), new.splitlines()
    assert move.length >= 3
    assert old_lines[move.old - 1 : move.old_end] == new_lines[move.new - 1 : move.new_end]


def test_a_block_that_moved_into_a_function_is_found_though_its_indentation_grew() -> None:
    deeper = "".join(f"    {line}\n" for line in COUNT.splitlines())
    old, new = f"class Policy:\n{COUNT}{ACT}", f"class Policy:\n{ACT}        if late:\n{deeper}"
    (move,) = moves(old, new)
    assert (move.old, move.length) in {(2, 4), (5, 3)}


def test_short_lines_that_stand_everywhere_are_no_moved_block() -> None:
    old = "else:\n    return None\n\nx = 1\ny = 2\nz = 3\nkeep(this_line)\n"
    new = "keep(this_line)\nelse:\n    return None\n\nx = 1\ny = 2\nz = 3\n"
    assert moves(old, new) == []


def test_a_re_indented_block_that_stayed_where_it_was_did_not_move() -> None:
    body = "alpha = first(one)\nbeta = second(two)\ngamma = third(three)\n"
    deeper = "".join(f"    {line}\n" for line in body.splitlines())
    assert moves(f"start()\n{body}", f"start()\nif late:\n{deeper}") == []


@given(LINES, LINES)
def test_moved_marks_are_only_on_lines_that_left_one_place_and_stand_in_another(
    old: list[str], new: list[str]
) -> None:
    rows = diff.compare("\n".join(old), "\n".join(new))
    differing = [row for row in rows if row.kind is not diff.Kind.SAME]
    gone = {row.left.number for row in differing if row.left}
    come = {row.right.number for row in differing if row.right}
    for move in moved_blocks(rows):
        for k in range(move.length):
            assert move.old + k in gone
            assert move.new + k in come
            assert old[move.old + k - 1].strip() == new[move.new + k - 1].strip()


@given(LINES, LINES, st.lists(LINES, max_size=3))
def test_marks_of_what_is_back_are_only_on_lines_that_were_there_and_had_gone(
    old: list[str], new: list[str], earlier: list[list[str]]
) -> None:
    versions = [Version(f"attempt {n}", "\n".join(one)) for n, one in enumerate(earlier)]
    rows = diff.compare("\n".join(old), "\n".join(new))
    for number, name in reintroduced(rows, "\n".join(old), versions).items():
        line = new[number - 1].strip()
        last = max(n for n, one in enumerate(earlier) if line in map(str.strip, one))
        assert name == f"attempt {last}"
        assert line not in map(str.strip, old)


def test_a_line_that_an_earlier_attempt_had_is_back() -> None:
    first, second = "wins = 0\nlosses = count(theirs)\n", "wins = 0\n"
    third = "wins = 0\nlosses = count(theirs)\nties = never(seen)\n"
    rows = diff.compare(second, third)
    assert reintroduced(rows, second, [Version("attempt 0", first)]) == {2: "attempt 0"}


BASE = """
    class Policy:
        def act(self, obs):
            seen = obs["opponent_actions"]
            weight = self.rate * 0.5
            return (len(seen) + 1) % 3
"""


@pytest.mark.parametrize(
    ("before", "after", "label"),
    [
        ("weight = self.rate * 0.5", "weight = self.rate * 0.5  # halved", Label.COSMETIC),
        ("weight = self.rate * 0.5", "weight = (self.rate  *  0.5)", Label.COSMETIC),
        ("def act(self, obs):", 'def act(self, obs):\n            """Act."""', Label.COSMETIC),
        ("self.rate * 0.5", "self.rate * 0.75", Label.CONSTANTS),
        ("self.rate * 0.5", "self.rate * -0.5", Label.CONSTANTS),
        ("self.rate * 0.5", "self.rate + 0.5", Label.BEHAVIOUR),
        ("self.rate * 0.5", "self.rate - 0.5", Label.BEHAVIOUR),
        ('obs["opponent_actions"]', 'obs["my_actions"]', Label.BEHAVIOUR),
        ("len(seen) + 1", "len(seen) - 1", Label.BEHAVIOUR),
        ("return (len(seen) + 1) % 3", "if seen: return (len(seen) + 1) % 3", Label.BEHAVIOUR),
    ],
)
def test_a_change_is_labelled_by_what_differs_for_python(
    before: str, after: str, label: Label
) -> None:
    assert before in BASE
    assert labels(BASE, BASE.replace(before, after)) == [label]


def test_a_line_that_moved_out_of_a_branch_is_no_layout() -> None:
    old = "def act(obs):\n    if obs:\n        a = 1\n        b = 2\n    return b\n"
    new = "def act(obs):\n    if obs:\n        a = 1\n    b = 2\n    return b\n"
    assert labels(old, new) == [Label.BEHAVIOUR]


def test_each_change_of_a_program_has_its_own_label() -> None:
    old = BASE.replace("class Policy:", "class Policy:\n        # count\n")
    new = old.replace("# count", "# counts").replace("% 3", "% 3 + 0")
    assert labels(old, new) == [Label.COSMETIC, Label.BEHAVIOUR]


def test_what_python_cannot_read_is_not_labelled() -> None:
    assert labels("x = (1\n", "x = (2\n") == [Label.UNKNOWN]


def compared_without_spacing(old: str, new: str) -> list[diff.Row]:
    keys = program_lines.spacing_keys(old), program_lines.spacing_keys(new)
    return diff.compare(old, new, keys=keys)


def test_spaces_that_mean_nothing_can_be_left_out_and_are_counted() -> None:
    rows = compared_without_spacing("x=f(1,2)\ny = 1  \n", "x = f(1, 2)\ny = 1\n")
    assert diff.totals(rows) == diff.Totals(0, 0, 0, spacing=2)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"),
        ('x = "a b"\n', 'x = "a  b"\n'),
        ("x = '''\na b\n'''\n", "x = '''\na  b\n'''\n"),
    ],
)
def test_indentation_and_texts_are_never_left_out_with_the_spacing(old: str, new: str) -> None:
    assert not diff.totals(compared_without_spacing(old, new)).identical
    assert diff.totals(compared_without_spacing(old, new)).changed == 1
