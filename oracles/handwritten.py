"""A program that a person typed or brought: judged as it is, without the repairs of an answer.

A model's answer is mended where that is harmless (:mod:`oracles.candidate`). What a person gives is
kept as they wrote it; where it cannot be played they are told the line and mend it themselves.
"""

from __future__ import annotations

from games.players import source_sha256
from oracles.candidate import Extraction
from oracles.checks import POLICY, check_program, policy_classes
from oracles.joining import defined_names
from oracles.parsing import MAX_SOURCE_BYTES, Unparsable, parse, refuse_characters

EMPTY = "there is no program yet: write a class Policy with a method act(self, obs)"


def normalised(text: str) -> str:
    """The text with line feeds as its only line ends, without a byte order mark.

    A last line without its end gets one; blanks, tabs and empty lines stay as they were typed.
    """
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return plain if not plain or plain.endswith("\n") else plain + "\n"


def judge(text: str) -> Extraction:
    """Whether ``text`` is a program that may be played, or the first reason why not and its line.

    Never raises and never runs anything of it. ``source`` of an accepted one is
    :func:`normalised`.
    """
    source = normalised(text)
    if not source.strip():
        return _refused(EMPTY, None)
    try:
        refuse_characters(source, zero_width=True)
        size = len(source.encode())
        if size > MAX_SOURCE_BYTES:
            reason = f"the program is too long: {size} bytes, at most {MAX_SOURCE_BYTES}"
            return _refused(reason, None)
        tree = parse(source)
    except Unparsable as error:
        return _refused(error.reason, error.line)
    finding = check_program(tree)
    if finding is not None:
        return _refused(finding.reason, finding.line)
    playable = policy_classes(tree)
    if POLICY not in {node.name for node, _ in playable} | set(defined_names(tree)):
        node = playable[0][0]
        return _refused(f"the class to play must be called {POLICY}, not {node.name}", node.lineno)
    return Extraction(True, "", None, source, source_sha256(source), ())


def _refused(reason: str, line: int | None) -> Extraction:
    return Extraction(False, reason, line, None, None, ())
