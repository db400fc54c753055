"""From a model's answer to a program that may be played, or to the reason why there is none."""

from __future__ import annotations

import ast
import hashlib
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

from games.players import source_sha256
from oracles.answer import PYTHON_TAGS, Answer, Block, json_code, read_answer
from oracles.checks import POLICY, check_program, policy_classes
from oracles.edits import EditError, apply_edits, has_edits, parse_edits
from oracles.parsing import Program, Unparsable, parse_program

MAX_ANSWER_CHARACTERS = 400_000
INCOMPLETE = (
    "incomplete: the answer ends in the middle of the program;"
    " write a shorter program and give all of it"
)
_NO_CODE = "no code: the answer holds no Python program"
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
        program = _program(answer, base)
    except _Refused as refusal:
        reason = refusal.reason
        if finish_reason == "length" and not reason.startswith("incomplete"):
            reason = f"{INCOMPLETE} ({reason})"
        return Extraction(False, reason, refusal.line, None, None, ())
    return Extraction(
        True, "", None, program.source, source_sha256(program.source), program.repairs
    )


@lru_cache(maxsize=4096)
def fingerprint(source: str) -> str:
    """Equal for programs that differ in layout, comments and docstrings alone.

    Raises:
        SyntaxError: when ``source`` is no program.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [  # type: ignore[attr-defined]
                item
                for item in body
                if not (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant))
            ]
    return hashlib.sha256(ast.dump(tree).encode("utf-8", "backslashreplace")).hexdigest()


def _program(answer: str, base: str | None) -> Program:
    if len(answer) > MAX_ANSWER_CHARACTERS:
        raise _Refused(f"the answer is too long: at most {MAX_ANSWER_CHARACTERS} characters")
    repairs: list[str] = []
    text = answer.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    read = read_answer(text)
    wrapped = _unwrapped(read)
    if wrapped is not None:
        repairs.append("the program was taken out of a JSON answer")
        read = read_answer(wrapped.replace("\r\n", "\n"))
    if has_edits(read.visible):
        return _checked(_edited(read, base, repairs), repairs)
    code = _code(read, repairs)
    return _checked(code, repairs)


def _unwrapped(read: Answer) -> str | None:
    for block in read.blocks:
        if block.tag in ("json", ""):
            code = json_code(block.text)
            if code is not None:
                return code
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


def _code(read: Answer, repairs: list[str]) -> Program:
    blocks = [block for block in read.blocks if block.tag in PYTHON_TAGS]
    blocks = blocks or [block for block in read.blocks if block.tag == ""]
    if not any(block.text.strip() for block in blocks):
        if read.ends_in_reasoning:
            raise _Refused("incomplete: the answer ends inside its reasoning; give the program")
        return _bare_code(read, repairs)
    chosen = _chosen(blocks, repairs)
    cut_off = not blocks[-1].closed and blocks[-1] in chosen
    try:
        program = parse_program("\n\n".join(block.text.strip("\n") for block in chosen))
    except Unparsable as error:
        if cut_off:
            raise _Refused(f"{INCOMPLETE} ({error.reason})", error.line) from None
        raise _Refused(error.reason, error.line) from None
    if cut_off:
        repairs.append("the closing fence was missing")
    return program


def _chosen(blocks: list[Block], repairs: list[str]) -> list[Block]:
    """The blocks that make one program: the last with a policy class, and what it uses."""
    if len(blocks) == 1:
        return blocks
    parsed = [_parsed(block) for block in blocks]
    policies = [i for i, program in enumerate(parsed) if program and policy_classes(program.tree)]
    if not policies:
        return blocks
    main = policies[-1]
    if len(policies) > 1:
        repairs.append(f"of {len(policies)} programs in the answer, the last was taken")
    chosen = {main}
    while True:
        used = {name for i in chosen for name in _names(parsed[i], ast.Load)}
        more = {
            i
            for i, program in enumerate(parsed)
            if program is not None
            and i not in chosen
            and i not in policies
            and used & _defined(program)
        }
        if not more:
            return [blocks[i] for i in sorted(chosen)]
        chosen |= more


def _parsed(block: Block) -> Program | None:
    try:
        return parse_program(block.text)
    except Unparsable:
        return None


def _names(program: Program | None, context: type[ast.expr_context]) -> set[str]:
    if program is None:
        return set()
    return {
        node.id
        for node in ast.walk(program.tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, context)
    }


def _defined(program: Program) -> set[str]:
    """Names that the top level of a program defines."""
    names: set[str] = set()
    for node in program.tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            names |= {
                inner.id
                for inner in ast.walk(node)
                if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
            }
    return names


def _bare_code(read: Answer, repairs: list[str]) -> Program:
    """An answer without fences: all of it, or the part between prose before and after."""
    lines = [line for line in read.visible if not line.strip().startswith(("```", "~~~"))]
    starts = [i for i, line in enumerate(lines) if line.startswith(_CODE_STARTS)]
    if not any("class " in line for line in lines) or not starts:
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
    if whole.reason.startswith("syntax error") and not any(
        line.startswith("class ") and line.rstrip().endswith(":") for line in lines
    ):
        raise _Refused(_NO_CODE)
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
    if POLICY in classes or POLICY in _defined(program):
        return program
    return replace(
        program,
        source=f"{program.source}\n\n{POLICY} = {classes[0]}\n",
        repairs=(*program.repairs, f"the class {classes[0]} was given the name {POLICY}"),
    )
