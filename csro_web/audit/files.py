"""The trail as JSON Lines: a heading with a signed head, a line for each row, and an end.

Lines are ASCII, so what people and models wrote cannot act on a terminal that shows the file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from csro_web import signing
from csro_web.audit.chain import canonical
from csro_web.audit.heads import Head, HeadError, checked_head
from csro_web.audit.verification import Check, Report, Row

KIND = "csro-audit-trail"
END = "csro-audit-trail-end"
LONGEST_LINE = 4_000_000


class FileError(ValueError):
    """The file cannot be read as an exported trail; the message says why."""


def lines(
    rows: Iterable[Row], *, head: Mapping[str, Any], filters: Mapping[str, str]
) -> Iterator[str]:
    """The file, line by line. ``filters`` says what was left out; empty: nothing was.

    The last line signs all lines before, so that a row of a filtered file, which no head binds,
    cannot be changed together with its hash.
    """
    digest = hashlib.sha256()
    heading = {"kind": KIND, "version": 1, "filters": dict(filters), "head": dict(head)}
    count = -1
    for line in chain([_line(heading)], map(_line_of, rows)):
        count += 1
        digest.update(line.encode("ascii"))
        yield line
    end = {"kind": END, "rows": count, "sha256": digest.hexdigest()}
    yield _line({**end, "signature": signing.sign(canonical(end)).hex()})


def _line_of(row: Row) -> str:
    if row.problem:
        return _line({"sequence": row.sequence, "hash": row.hash, "unreadable": row.problem})
    return _line({**row.fields, "hash": row.hash})


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=True) + "\n"


def verify_file(path: Path, *, heads: Sequence[Head] = (), key: bytes | None = None) -> Report:
    """Check an exported file: its rows, the signed head in its heading, and ``heads`` kept
    elsewhere. What was exported with filters is checked row by row, and where rows touch.

    Raises:
        FileError: when it is no exported trail, or not as it was signed.
        HeadError: when the head in it is not signed, or not by ``key``.
        OSError: when it cannot be read.
    """
    with path.open("rb") as file:
        first = file.readline(LONGEST_LINE)
        heading = _object(first, 1)
        if heading.get("kind") != KIND or heading.get("version") != 1:
            raise FileError("its first line is not the heading of an exported audit trail")
        own = checked_head(heading.get("head"), key=key)
        checking = Check(heads=[own, *heads], whole=not heading.get("filters"))
        digest = hashlib.sha256(first)
        for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), start=2):
            found = _object(line, number)
            if found.get("kind") == END:
                break
            digest.update(line)
            checking.add(_row(found))
        else:
            raise FileError("its last lines are missing: it was cut, or not written to its end")
        _check_end(found, number - 2, digest.hexdigest(), own.public_key)
        if file.read(1):
            raise FileError(f"there is something behind its end, line {number}")
    return checking.report()


def _check_end(end: Mapping[str, Any], rows: int, sha256: str, key: bytes) -> None:
    said = {name: value for name, value in end.items() if name != "signature"}
    if said != {"kind": END, "rows": rows, "sha256": sha256}:
        raise FileError("its lines are not those that were signed: some were changed or removed")
    try:
        signature = bytes.fromhex(end["signature"])
    except (KeyError, TypeError, ValueError) as error:
        raise FileError("the signature in its last line is damaged") from error
    if not signing.is_signed(key, canonical(said), signature):
        raise FileError("the signature in its last line does not fit its lines")


def _row(found: dict[str, Any]) -> Row:
    sequence, said = found.get("sequence"), str(found.pop("hash", ""))
    if isinstance(sequence, bool) or not isinstance(sequence, int):
        return Row(None, problem="it has no sequence")
    if "unreadable" in found:
        return Row(sequence, hash=said, problem=str(found["unreadable"]))
    return Row(sequence, found, said)


def _object(line: bytes, number: int) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FileError(f"line {number} is not JSON: it was cut or changed") from error
    if not isinstance(found, dict):
        raise FileError(f"line {number} is not a row of a trail")
    return found


def read_heads(path: Path, *, key: bytes | None = None) -> list[Head]:
    """The signed head in a file, or those in all ``.json`` files of a directory.

    Raises:
        HeadError: when one is damaged, or not signed by ``key``, or there is none.
        OSError: when one cannot be read.
    """
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise HeadError(f"there is no signed head in {path}")
    found = []
    for file in files:
        try:
            found.append(checked_head(json.loads(file.read_bytes()), key=key))
        except (HeadError, ValueError, RecursionError) as error:
            words = error if isinstance(error, HeadError) else "it is no JSON"
            raise HeadError(f"{file}: {words}") from error
    return found
