"""Whatever a model answers, the extraction ends with a program or a reason."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.candidate import Extraction, extract
from oracles.parsing import MAX_SOURCE_BYTES

CASES = Path(__file__).parent.parent / "cases" / "completions"
TEXTS = [path.read_text("utf-8") for path in sorted(CASES.glob("*.txt"))]
BASE = (CASES / "edit_base.py").read_text("utf-8")
PIECES = [
    "```python\n",
    "```\n",
    "~~~\n",
    "<think>\n",
    "</think>\n",
    "<<<<<<< SEARCH\n",
    "=======\n",
    ">>>>>>> REPLACE\n",
    "class Policy:\n",
    "    def act(self, obs):\n",
    "        return 0\n",
    '{"code": "',
    '"""',
    "\r\n",
    "\x00",
    "\ud800",
    "\u202e",
    "(" * 50,
    "\t",
    "“x”\n",
]


def check(found: Extraction) -> None:
    assert found.accepted is (found.source is not None)
    assert found.accepted is (found.reason == "")
    if found.source is not None:
        compile(found.source, "policy.py", "exec")
        assert "\x00" not in found.source
        found.source.encode("utf-8")


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(exclude_categories=()), max_size=300))
def test_arbitrary_text(text: str) -> None:
    check(extract(text))
    check(extract(text, base=BASE))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=15))
def test_fragments_of_answers_in_any_order(pieces: list[str]) -> None:
    check(extract("".join(pieces)))
    check(extract("".join(pieces), base=BASE))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(TEXTS), st.integers(0, 2000), st.sampled_from([None, "length", "stop"]))
def test_answers_cut_off_anywhere(text: str, end: int, finish_reason: str | None) -> None:
    check(extract(text[:end], finish_reason=finish_reason))
    check(extract(text[:end], base=BASE, finish_reason=finish_reason))


def test_huge_and_hostile_texts_end_soon() -> None:
    program = "class Policy:\n    def act(self, obs):\n        return 0\n"
    for tail in (
        "x = " + "(" * 30_000,
        "x = " + "[" * 90 + "]" * 90,
        "x = " + "-" * 50_000 + "1",
        "x = " + "not " * 15_000 + "1",
        "x = a" + ".b" * 20_000,
        "x = a" + "[0]" * 20_000,
        "x = 1" + " + 1" * 15_000,
        "x = " + "lambda: " * 8_000 + "1",
        "x = f'" + "{" * 20_000,
        "x = " + "9" * 50_000,
        "x = “a”\n" * 5_000,
        "if 1:\n" * 5_000,
        "\n".join(" " * depth + "if 1:" for depth in range(300)),
        "x = {" + "1: {" * 5_000,
        "@a\n" * 10_000,
        "```" + " " * 50_000 + "`",
    ):
        check(extract(f"```python\n{program}{tail}\n```"))
        check(extract(program + tail))
    check(extract("<" * 300_000))
    check(extract("```" + " " * 300_000 + "`"))
    check(extract("[" * 300_000 + '"code"'))
    check(extract("x" * 1_000_000))


def test_size_limit_counts_bytes_of_the_program_alone() -> None:
    program = "class Policy:\n    def act(self, obs):\n        return 0\n"
    comment = "#" + "é" * (MAX_SOURCE_BYTES // 2)
    assert "too long" in extract(f"```python\n{program}{comment}\n```").reason
    assert extract("prose " * 20_000 + f"\n```python\n{program}```").accepted
