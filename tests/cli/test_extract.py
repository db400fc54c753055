"""``./csro extract``: what the product makes of a model's answer, file by file."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from tests.cli.command import ROOT, complaint, csro

CASES = ROOT / "tests/cases/completions"
KEYS = {"accepted", "reason", "line", "source", "sha256", "repairs"}


def test_the_program_goes_to_stdout_and_can_be_saved_as_it_is(tmp_path: Path) -> None:
    done = csro("extract", CASES / "01_fenced_with_prose.txt")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.startswith("class Policy:")
    saved = tmp_path / "policy.py"
    saved.write_text(done.stdout)
    again = csro("extract", saved)
    assert again.stdout == done.stdout


def test_the_json_answer_has_the_promised_keys_when_accepted() -> None:
    done = csro("extract", CASES / "15_smart_quotes.txt", "--json", "-")
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert set(answer) == KEYS
    assert answer["accepted"] is True
    assert answer["sha256"] == hashlib.sha256(answer["source"].encode()).hexdigest()
    assert answer["repairs"], "what was mended is said"
    assert "mended" in done.stderr


def test_a_refusal_names_the_line_and_still_writes_its_json(tmp_path: Path) -> None:
    answer = tmp_path / "answer.json"
    done = csro("extract", CASES / "14_syntax_error.txt", "--json", answer)
    assert done.returncode == 1
    assert "line 7" in complaint(done)
    written = json.loads(answer.read_text())
    assert set(written) == KEYS
    assert (written["accepted"], written["line"], written["source"]) == (False, 7, None)


def test_an_edit_is_applied_to_its_base() -> None:
    edit, base = CASES / "08_diff_whitespace_differs.txt", CASES / "edit_base.py"
    done = csro("extract", edit, "--base", base)
    assert done.returncode == 0, done.stderr
    assert done.stdout != base.read_text()
    alone = csro("extract", edit)
    assert alone.returncode == 1
    assert "no program to edit" in complaint(alone)


@pytest.mark.parametrize("content", [b"", b"\0\0", b"\n" * 100, b"x" * 500_000])
def test_answers_without_a_program_are_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "answer.txt"
    path.write_bytes(content)
    done = csro("extract", path)
    assert done.returncode == 1
    complaint(done)


def test_a_base_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    answer = CASES / "08_diff_whitespace_differs.txt"
    done = csro("extract", answer, "--base", tmp_path / "nowhere.py")
    assert done.returncode == 1
    assert "no such file" in complaint(done)
