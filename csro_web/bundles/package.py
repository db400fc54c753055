"""The importable part of a bundle: its policies and their mixture as a Python package."""

from __future__ import annotations

import io
import pprint
import tokenize
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from csro_web.bundles.naming import module_name

_RUNTIME = Path(__file__).parent / "runtime"
DRAFT_WORDS = "DRAFT: nobody approved all of this. It is for looking at, not for use."


class UnfitSource(ValueError):
    """As a file, Python would read this program otherwise than it was played."""


@dataclass(frozen=True)
class Program:
    """A policy's program on its way into a bundle."""

    index: int
    name: str
    source: str

    @property
    def module(self) -> str:
        return module_name(self.index, self.name)

    @property
    def content(self) -> bytes:
        """The bytes of its file, those that its hash is about.

        Raises:
            UnfitSource: when it names an encoding other than UTF-8, or is none.
        """
        try:
            data = self.source.encode("utf-8")
            encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        except (UnicodeEncodeError, SyntaxError) as error:
            raise UnfitSource(f"its text cannot be saved as a Python file ({error})") from error
        if encoding != "utf-8":
            raise UnfitSource(f"it says that it is written in {encoding}; edit that line out of it")
        return data


def package_members(
    package: str,
    programs: Sequence[Program],
    weights: Sequence[float],
    *,
    game: Mapping[str, Any],
    about: str,
    draft: bool,
) -> list[tuple[str, bytes]]:
    """Names and contents of the package's files, in the archive's order.

    ``weights`` are those of the mixture, one per program; ``about`` is a line of plain ASCII.

    Raises:
        UnfitSource: as :attr:`Program.content`.
    """
    return [
        (f"{package}/__init__.py", _docstring(about, draft=draft) + _EXPORTS),
        (f"{package}/contents.py", _contents(programs, weights, game)),
        (f"{package}/mixture.py", (_RUNTIME / "mixture.py").read_bytes()),
        (f"{package}/policies/__init__.py", b'"""One module per policy, as it was written."""\n'),
        *((path_of(package, program), program.content) for program in programs),
    ]


def path_of(package: str, program: Program) -> str:
    return f"{package}/policies/{program.module}.py"


_EXPORTS = b"""
from .contents import COMPONENTS, GAME
from .mixture import Mixture

__all__ = ["COMPONENTS", "GAME", "Mixture"]
"""


def _docstring(about: str, *, draft: bool) -> bytes:
    lines = [DRAFT_WORDS, "", about] if draft else [about]
    return ('"""' + "\n".join(lines) + '\n"""\n').encode("ascii")


def _contents(
    programs: Sequence[Program], weights: Sequence[float], game: Mapping[str, Any]
) -> bytes:
    """Every value is spelled by ``repr``, so that no name can become code."""
    rows = [
        (program.module, program.name, weight)
        for program, weight in zip(programs, weights, strict=True)
    ]
    spelled_game = pprint.pformat(dict(game), width=96, sort_dicts=True)
    spelled_rows = ",\n    ".join(ascii(row) for row in rows)
    text = (
        '"""What this package holds."""\n\n'
        f"GAME = {ascii_only(spelled_game)}\n"
        '"""What the policies\' constructors get as ``game``."""\n\n'
        f"COMPONENTS = [\n    {spelled_rows},\n]\n"
        '"""Module, name and weight of each policy of the mixture; names are untrusted text."""\n'
    )
    return text.encode("ascii")


def ascii_only(text: str) -> str:
    """Source text with every other character written as its escape; for text inside of quotes."""
    return text.encode("ascii", "backslashreplace").decode("ascii")
