"""``./csro extract``: the program in a model's answer, or why there is none."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from csro_web.cli.arguments import add_json, parser
from csro_web.cli.errors import CommandFailure
from csro_web.cli.output import STDOUT, check_target, say, write_json

if TYPE_CHECKING:
    from oracles.candidate import Extraction


def main(name: str, argv: Sequence[str]) -> int:
    arguments = parser(
        name, "The program in a model's answer, with its repairs, or why it is refused."
    )
    arguments.add_argument("file", metavar="FILE", help="the answer, as the model gave it")
    arguments.add_argument(
        "--base", metavar="FILE", help="the program that the answer edits (SEARCH/REPLACE blocks)"
    )
    add_json(arguments)
    given = arguments.parse_args(argv)
    check_target(given.json)

    from csro_web.cli.files import read_text
    from oracles.candidate import extract

    base = None if given.base is None else read_text(given.base)
    extraction = extract(read_text(given.file), base=base)
    if given.json:
        write_json(given.json, extraction.to_json())
    if extraction.source is None:
        raise CommandFailure(f"{given.file}: {_reason(extraction)}")
    for repair in extraction.repairs:
        say(f"mended: {repair}")
    if given.json != STDOUT:
        sys.stdout.write(extraction.source)
    return 0


def _reason(extraction: Extraction) -> str:
    """The refusal in one line, with the line of the program that it is about."""
    first = extraction.reason.splitlines()[0]
    if extraction.line is None or f"line {extraction.line}" in first:
        return first
    return f"{first} (line {extraction.line} of the program)"
