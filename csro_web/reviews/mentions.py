"""Names in a text: ``@name``. Pure; whether there is such a person is asked elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST_MENTIONS = 50
"""Names of one text that are looked at."""
_MENTION = re.compile(r"(?<![\w@.+/-])@([\w.@+-]{1,150})")
_ENDS_A_SENTENCE = ".-+@"


def mentioned(text: str) -> set[str]:
    """Names that the text may mean: also without the full stop that ends a sentence.

    An address such as ``ada@example.org`` mentions nobody.
    """
    found: set[str] = set()
    for count, match in enumerate(_MENTION.finditer(text)):
        if count == MOST_MENTIONS:
            break
        found.update(_readings(match.group(1)))
    return found


def _readings(name: str) -> Iterator[str]:
    yield name
    while name and name[-1] in _ENDS_A_SENTENCE:
        name = name[:-1]
        if name:
            yield name
