"""Reading a model's answer: what is reasoning, what is prose, and which parts are code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_THINK_OPEN = re.compile(r"\s*<(think|thinking|thought|reasoning|reflection)\b[^>\n]{0,80}>", re.I)
_THINK_CLOSE = re.compile(r"</(think|thinking|thought|reasoning|reflection)\s*>", re.I)
_TAG = re.compile(r"[a-z0-9_+#-]*")
PYTHON_TAGS = frozenset({"python", "py", "python3", "py3", "python-repl"})
_CODE_KEYS = ("code", "program", "source", "policy", "python", "answer", "content", "text")


@dataclass(frozen=True)
class Block:
    """A fenced part of the answer."""

    tag: str
    text: str
    closed: bool


@dataclass
class Answer:
    """An answer without its reasoning. ``visible`` holds the lines outside of it, fences too."""

    blocks: list[Block] = field(default_factory=list)
    visible: list[str] = field(default_factory=list)
    ends_in_reasoning: bool = False


def read_answer(text: str) -> Answer:
    """Take an answer apart, line by line.

    Reasoning between tags such as ``<think>`` is dropped, with every fence in it. A closing tag
    without an opening one (some chat templates open it themselves) drops all that came before.
    """
    answer = Answer()
    lines = iter(text.split("\n"))
    for line in lines:
        opening = _THINK_OPEN.match(line)
        if opening:
            rest = _skip_reasoning(line[opening.end() :], lines)
            if rest is None:
                answer.ends_in_reasoning = True
                return answer
            line = rest
        elif (closing := _last_close(line)) is not None:
            answer = Answer()
            line = line[closing:]
        fence = _opening_fence(line)
        if fence is None:
            answer.visible.append(line)
            continue
        block, restart = _read_block(fence, lines)
        if restart is not None:
            answer = Answer(visible=[restart])
            continue
        answer.blocks.append(block)
        closer = [fence.mark] if block.closed else []
        answer.visible += [line, *block.text.split("\n"), *closer]
    return answer


def _skip_reasoning(first: str, lines: Iterator[str]) -> str | None:
    """What follows the closing tag on its line; None when reasoning never ends."""
    line: str | None = first
    while line is not None:
        closing = _THINK_CLOSE.search(line)
        if closing:
            return line[closing.end() :]
        line = next(lines, None)
    return None


def _last_close(line: str) -> int | None:
    ends = [match.end() for match in _THINK_CLOSE.finditer(line)]
    return ends[-1] if ends else None


@dataclass(frozen=True)
class _Fence:
    indent: int
    mark: str
    tag: str


def _opening_fence(line: str) -> _Fence | None:
    bare = line.lstrip(" \t")
    mark = bare[: len(bare) - len(bare.lstrip(bare[:1]))]
    info = bare[len(mark) :].strip().lower()
    if len(mark) < 3 or mark[0] not in "`~" or (mark[0] == "`" and "`" in info):
        return None
    tag = _TAG.match(info)
    return _Fence(len(line) - len(bare), mark, tag[0] if tag else "")


def _read_block(fence: _Fence, lines: Iterator[str]) -> tuple[Block, str | None]:
    """The block that ``fence`` opens, and the line to restart from if all was reasoning so far."""
    mark, tag = fence.mark, fence.tag
    body: list[str] = []
    for line in lines:
        bare = line.strip()
        if len(bare) >= len(mark) and set(bare) == {mark[0]}:
            return Block(tag, "\n".join(body), True), None
        if reasoned := _THINK_CLOSE.match(line):
            return Block(tag, "", False), line[reasoned.end() :]
        head, rest = line[: fence.indent], line[fence.indent :]
        body.append(line if head.strip() else rest)
    return Block(tag, "\n".join(body), False), None


def looks_like_json(text: str) -> bool:
    """Whether an answer starts as JSON does and names code; it may be cut off."""
    start = text.lstrip()[:1]
    return start in ("{", "[") and any(f'"{key}"' in text for key in _CODE_KEYS)


def json_code(text: str) -> str | None:
    """The text that a JSON answer wraps, None when ``text`` is not JSON or wraps no text."""
    stripped = text.strip()
    if not stripped.startswith(("{", "[", '"')):
        return None
    try:
        data = json.loads(stripped, strict=False)
    except (ValueError, RecursionError):
        return None
    return _find_code(data, depth=0)


def _find_code(data: Any, depth: int) -> str | None:
    if isinstance(data, str):
        return data if "class " in data or "<<<<<<<" in data else None
    if depth > 6:
        return None
    values: list[Any] = []
    if isinstance(data, dict):
        known = [data[key] for key in _CODE_KEYS if key in data]
        values = known + [value for key, value in data.items() if key not in _CODE_KEYS]
    elif isinstance(data, list):
        values = data
    return next((code for v in values if (code := _find_code(v, depth + 1)) is not None), None)
