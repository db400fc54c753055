"""JSON in exactly one spelling, so that equal data are equal bytes."""

from __future__ import annotations

import json
from typing import Any, NoReturn


class NotCanonical(ValueError):
    """The bytes are no JSON, or not as :func:`dump` spells it."""


def dump(value: Any) -> bytes:
    """ASCII, keys sorted, one blank per level, a line feed at the end.

    Raises:
        ValueError: on a number that is not finite.
    """
    text = json.dumps(value, sort_keys=True, indent=1, ensure_ascii=True, allow_nan=False)
    return text.encode("ascii") + b"\n"


def load(data: bytes) -> Any:
    """The value of which ``data`` is the one spelling.

    Raises:
        NotCanonical: when there is none: other spacing, repeated keys, ``NaN``, endless nesting.
    """
    try:
        value = json.loads(data.decode("ascii"), parse_constant=_refuse)
        spelled = dump(value)
    except RecursionError:
        raise NotCanonical("it is nested too deep") from None
    except ValueError as error:
        raise NotCanonical(f"it is no JSON ({error})") from error
    if spelled != data:
        raise NotCanonical("it is not in the one spelling that this format has")
    return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
