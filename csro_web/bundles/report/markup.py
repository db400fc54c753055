"""HTML that is safe by construction: text is made inert unless it was built here."""

from __future__ import annotations

import html
from collections.abc import Iterable

from oracles.text import pieces

LONGEST_LINE = 2_000


class Markup(str):
    """HTML that was built by this module."""

    __slots__ = ()


Child = str | Markup | int | None


def inert(text: str) -> Markup:
    """The text, escaped; characters that cannot be seen, or move others, are shown by their code.

    Lines of extreme length are cut, and the cut is said.
    """
    return Markup("\n".join(_line(line) for line in text.replace("\r\n", "\n").split("\n")))


def _line(line: str) -> str:
    shown, beyond = line[:LONGEST_LINE], len(line) - LONGEST_LINE
    parts = [
        f'<span class="code">U+{ord(piece):04X}</span>' if hidden else html.escape(piece)
        for piece, hidden in pieces(shown)
    ]
    if beyond > 0:
        parts.append(f'<span class="code">{beyond:,} more characters are not shown</span>')
    return "".join(parts)


def element(name: str, *children: Child, **attributes: str | int | float) -> Markup:
    """``<name attributes>children</name>``. ``class_`` is written ``class``, ``a_b`` as ``a-b``."""
    inner = "".join(_child(child) for child in children)
    return Markup(f"<{name}{_attributes(attributes)}>{inner}</{name}>")


def join(parts: Iterable[Markup]) -> Markup:
    return Markup("".join(parts))


def table(
    heading: Iterable[Child], rows: Iterable[Iterable[Child]], *, numeric: Iterable[int] = ()
) -> Markup:
    """A table whose first column names its rows; ``numeric`` columns end right."""
    right = set(numeric)

    def cell(name: str, at: int, child: Child, scope: str = "") -> Markup:
        attributes = {"class_": "num"} if at in right else {}
        if scope:
            attributes["scope"] = scope
        return element(name, child, **attributes)

    head = element("tr", *(cell("th", at, one, "col") for at, one in enumerate(heading)))
    body = [
        element(
            "tr",
            *(
                cell("td" if at else "th", at, one, "" if at else "row")
                for at, one in enumerate(row)
            ),
        )
        for row in rows
    ]
    return element("table", element("thead", head), element("tbody", *body))


def facts(pairs: Iterable[tuple[str, Child]]) -> Markup:
    """A list of names and what they stand for."""
    items = [join([element("dt", name), element("dd", value)]) for name, value in pairs]
    return element("dl", *items)


def _child(child: Child) -> str:
    if child is None:
        return ""
    return child if isinstance(child, Markup) else inert(str(child))


def _attributes(attributes: dict[str, str | int | float]) -> str:
    return "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_value(str(value))}"'
        for name, value in attributes.items()
    )


def _value(text: str) -> str:
    shown = "".join(f"⟨U+{ord(piece):04X}⟩" if hidden else piece for piece, hidden in pieces(text))
    return html.escape(shown, quote=True)
