"""Fills every text that a person or a model could have written with text that wants to act.

Fields are found by walking the models: a new one is filled too, unless it is listed here as
written by code alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.apps import apps
from django.db import IntegrityError, connection, models, transaction

MARK = "hostile"
TEXT = (
    f"{MARK}\u202e\"'><script>document.title='owned'</script></textarea></script>"
    "<img src=x onerror=\"document.title='owned'\">\u200b\x1b]0;owned\x07\x1b[2J\u2066"
    "{{ 7|add:7 }}{% debug %}' autofocus onfocus='document.title=1\r\nend"
)
SHORT = f"{MARK}\u202e<b>\"'>\u200b\x1b[2J&"
LONG = f"{MARK}\u202e" + "<b>x" * 25_000 + "\n# more" * 80
"""One line of 100,000 characters, and more lines than any builder's threads stand on."""

BY_CODE_ALONE: Mapping[str, str] = {
    "sha256": "a digest",
    "evaluated_sha256": "a digest",
    "hash": "a digest",
    "program": "a digest",
    "signature": "hex digits",
    "public_key": "hex digits",
    "grammar": "a version",
    "engine_version": "a version",
    "prompt_version": "a digest",
    "sandbox_level": "one of three",
    "key": "names of steps and digests",
    "a": "kind and digest of a player",
    "b": "kind and digest of a player",
    "kind": "names a handler",
    "prepared": "names a prepared set",
    "target": "digest of a challenge's target",
    "owner": "names a process; shown nowhere",
    "slug": "letters, digits and hyphens: validated",
    "tab": "a random number of a browser's tab",
    "game": "a registered name: validated",
    "oracle": "a registered name: validated",
    "writer": "a registered name: validated",
    "password": "a hash",
    "query": "a query string that is parsed before it is shown",
}
"""Names of columns that code alone writes, on whatever model, and what it writes."""

TEXTS_IN_JSON = frozenset(
    ["content", "reason", "words", "title", "text", "output", "statement", "note", "strategy"]
)
"""Keys of JSON data under which people's, models' and policies' words stand."""
APPEND_ONLY = frozenset({"audit"})


def text_fields(model: type[models.Model]) -> Iterator[Any]:
    """Columns of free text; those with choices hold what code chose."""
    for field in model._meta.concrete_fields:
        is_text = isinstance(field, (models.CharField, models.TextField))
        if is_text and not field.choices and field.name not in BY_CODE_ALONE:
            yield field


def our_models() -> list[type[models.Model]]:
    return [
        model
        for model in apps.get_models()
        if model.__module__.startswith("csro_web") and model._meta.app_label not in APPEND_ONLY
    ]


def fill_everything(*, long: bool = False) -> int:
    """Fill every row of every model; how many columns were filled."""
    filled = 0
    for model in our_models():
        fields = list(text_fields(model))
        for row in models.QuerySet(model).all():
            filled += sum(_fill(row, field, _hostile(field, row, long)) for field in fields)
    return filled


def _fill(row: models.Model, field: Any, value: Any) -> bool:
    """Whether the column took the text: some must be empty in rows of some kind."""
    try:
        with transaction.atomic():
            models.QuerySet(type(row)).filter(pk=row.pk).update(**{field.attname: value})
    except IntegrityError:
        assert not getattr(row, field.attname), f"{field} refuses text and is not empty"
        return False
    return True


def _hostile(field: Any, row: models.Model, long: bool) -> Any:
    now = getattr(row, field.attname)
    if type(field).__name__ == "ExactJSONField":
        return _in_json(now)
    text = LONG if long and field.max_length is None else TEXT
    if connection.vendor == "sqlite":
        text = text.replace("owned", "owned\x00", 1)
    limit = field.max_length or len(text)
    if limit < len(text):
        text = SHORT
    if field.unique:
        text = f"{row.pk}{text}"
    return text[:limit]


def _in_json(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _in_json(one, name) for name, one in value.items()}
    if isinstance(value, list):
        return [_in_json(one, key) for one in value]
    return TEXT if isinstance(value, str) and key in TEXTS_IN_JSON else value
