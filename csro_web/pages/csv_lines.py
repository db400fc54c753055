"""CSV that is handed on line by line, and that no spreadsheet takes for formulas."""

from __future__ import annotations


class Echo:
    """What csv.writer needs of a file, to hand each line on."""

    def write(self, line: str) -> str:
        return line


BEGIN_A_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""Also the wide forms of the signs, which spreadsheets of some countries read alike."""


def safe_cell(text: str | None) -> str:
    """A name that no spreadsheet takes for a formula, also not behind blanks that one drops."""
    text = text or ""
    begins = text.startswith(BEGIN_A_FORMULA) or text.lstrip().startswith(BEGIN_A_FORMULA)
    return f"'{text}" if begins else text
