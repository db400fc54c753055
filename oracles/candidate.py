"""From a model's answer to a program that may be played, or to the reason why there is none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from games.players import source_sha256
from oracles.answer import PYTHON_TAGS, Answer, Block, json_code, looks_like_json, read_answer
from oracles.checks import POLICY, check_program, policy_classes
from oracles.edits import EditError, apply_edits, has_edits, parse_edits
from oracles.joining import defined_names, join_blocks
from oracles.parsing import Program, Unparsable, parse_program

MAX_ANSWER_CHARACTERS = 400_000
INCOMPLETE = (
    "incomplete: the answer ends in the middle of the program;"
    " write a shorter program and give all of it"
)
_NO_CODE = "no code: the answer holds no Python program"
_CLASS_LINE = re.compile(r"\s*class\s+[^\W\d]\w*\s*[(:]")
_CODE_STARTS = ("class ", "import ", "from ", "def ", "@", "#", '"""', "'''")


@dataclass(frozen=True)
class Extraction:
    """What the product makes of an answer.

    ``source`` and ``sha256`` are None when it was refused; ``reason`` is empty when it was not.
    ``line`` counts from 1 within the program. ``repairs`` says what was changed to accept it.
    """

    accepted: bool
    reason: str
    line: int | None
    source: str | None
    sha256: str | None
    repairs: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "repairs": list(self.repairs)}


class _Refused(Exception):
    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


def extract(
    answer: str, *, base: str | None = None, finish_reason: str | None = None
) -> Extraction:
    """The program in ``answer``: a whole one, or ``base`` after the edits that the answer holds.

    Never raises: whatever is wrong with the answer is told in ``reason``. ``finish_reason`` is the
    model's (``"length"`` when it was cut off).
    """
    try:
        program = _program(answer, base, was_cut=finish_reason == "length")
    except _Refused as refusal:
        reason = refusal.reason
        if finish_reason == "length" and not reason.startswith("incomplete"):
            reason = f"{INCOMPLETE} ({reason})"
        return Extraction(False, reason, refusal.line, None, None, ())
    return _accepted(program)


def _accepted(program: Program) -> Extraction:
    sha256 = source_sha256(program.source)
    return Extraction(True, "", None, program.source, sha256, program.repairs)


def _program(answer: str, base: str | None, *, was_cut: bool) -> Program:
    if len(answer) > MAX_ANSWER_CHARACTERS:
        raise _Refused(f"the answer is too long: at most {MAX_ANSWER_CHARACTERS} characters")
    repairs: list[str] = []
    text = answer.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    read = read_answer(text)
    wrapped = _unwrapped(read)
    if wrapped is not None:
        repairs.append("the program was taken out of an answer in JSON or Markdown")
        read = read_answer(wrapped.replace("\r\n", "\n"))
    if has_edits(read.visible):
        return _checked(_edited(read, base, repairs), repairs)
    code, closed = _code(read, repairs)
    if was_cut and not closed and wrapped is None:
        raise _Refused(INCOMPLETE)
    return _checked(code, repairs)


def _unwrapped(read: Answer) -> str | None:
    for block in read.blocks:
        if block.tag in ("json", ""):
            code = json_code(block.text)
            if code is not None:
                return code
        if block.tag in ("markdown", "md") and "```" in block.text:
            return block.text
    return None if read.blocks else json_code("\n".join(read.visible))


def _edited(read: Answer, base: str | None, repairs: list[str]) -> Program:
    if base is None:
        raise _Refused("the answer is an edit, but there is no program to edit: give a whole one")
    source = base.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        edited, mended = apply_edits(source, parse_edits(read.visible))
    except EditError as error:
        raise _Refused(str(error)) from None
    if edited.rstrip() == source.rstrip():
        raise _Refused("the edits change nothing")
    repairs += mended
    try:
        return parse_program(edited)
    except Unparsable as error:
        raise _Refused(f"after the edit: {error.reason}", error.line) from None


def _code(read: Answer, repairs: list[str]) -> tuple[Program, bool]:
    """The program, and whether the answer shows where it ends."""
    blocks = _code_blocks(read.blocks)
    if not any(block.text.strip() for block in blocks):
        if read.ends_in_reasoning:
            raise _Refused("incomplete: the answer ends inside its reasoning; give the program")
        return _bare_code(read, repairs), False
    chosen = join_blocks(blocks, repairs)
    cut_off = not blocks[-1].closed and blocks[-1] in chosen
    try:
        program = parse_program("\n\n".join(block.text.strip("\n") for block in chosen))
    except Unparsable as error:
        whole = _with_inner_fences(read.visible)
        if whole is not None:
            repairs.append("the fences inside the program were kept as part of it")
            return whole, True
        reason = f"{INCOMPLETE} ({error.reason})" if cut_off else error.reason
        raise _Refused(reason, error.line) from None
    if cut_off:
        repairs.append("the closing fence was missing")
    return program, not cut_off


def _code_blocks(blocks: Sequence[Block]) -> list[Block]:
    """The blocks meant as Python: by their tag, else untagged ones, else any with a class."""
    tagged = [block for block in blocks if block.tag in PYTHON_TAGS]
    untagged = [block for block in blocks if block.tag == ""]
    others = [block for block in blocks if block.tag not in PYTHON_TAGS and block.tag != ""]
    groups = [group for group in (tagged, untagged, others) if group]
    with_class = [group for group in groups if any("class " in block.text for block in group)]
    return next(iter(with_class or groups[:2]), [])


def _with_inner_fences(visible: Sequence[str]) -> Program | None:
    """The program between the first and the last fence, when text in it looks like fences."""
    fences = [i for i, line in enumerate(visible) if line.strip().startswith(("```", "~~~"))]
    if len(fences) < 3:
        return None
    try:
        return parse_program("\n".join(visible[fences[0] + 1 : fences[-1]]))
    except Unparsable:
        return None


def _bare_code(read: Answer, repairs: list[str]) -> Program:
    """An answer without fences: all of it, or the part between prose before and after."""
    lines = [line for line in read.visible if not line.strip().startswith(("```", "~~~"))]
    starts = [i for i, line in enumerate(lines) if line.startswith(_CODE_STARTS)]
    if looks_like_json("\n".join(lines)):
        raise _Refused(f"{INCOMPLETE} (it starts as JSON but does not end as such)")
    if not starts or not any(_CLASS_LINE.match(line) for line in lines):
        raise _Refused(_NO_CODE)
    try:
        return parse_program("\n".join(lines))
    except Unparsable as error:
        whole = error
    first_class = next((i for i in starts if lines[i].startswith("class ")), starts[0])
    for start in [i for i in starts if i <= first_class][:20]:
        end = _end_of_code(lines, start)
        try:
            program = parse_program("\n".join(lines[start:end]))
        except Unparsable as error:
            whole = error
            continue
        repairs.append("the prose around the program was left out")
        return program
    if whole.at_end:
        raise _Refused(f"{INCOMPLETE} ({whole.reason})", whole.line)
    raise _Refused(whole.reason, whole.line)


def _end_of_code(lines: list[str], start: int) -> int:
    """Where prose resumes: the first unindented line after the class that starts no code."""
    seen_class = False
    for index in range(start, len(lines)):
        line = lines[index]
        seen_class = seen_class or line.startswith("class ")
        is_outer = bool(line.strip()) and not line[0].isspace()
        if seen_class and is_outer and not line.startswith((*_CODE_STARTS, ")", "]", "}")):
            head = line.split("=")[0].strip()
            if not ("=" in line and head.isidentifier()):
                return index
    return len(lines)


def _checked(program: Program, repairs: list[str]) -> Program:
    finding = check_program(program.tree)
    if finding is not None:
        raise _Refused(finding.reason, finding.line)
    program = replace(program, repairs=(*repairs, *program.repairs))
    classes = [node.name for node, _ in policy_classes(program.tree)]
    if POLICY in classes or POLICY in defined_names(program.tree):
        return program
    return replace(
        program,
        source=f"{program.source}\n\n{POLICY} = {classes[0]}\n",
        repairs=(*program.repairs, f"the class {classes[0]} was given the name {POLICY}"),
    )
