"""How what must come back exactly as it was is stored."""

from __future__ import annotations

import json
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models


class ExactJSONField(models.TextField):
    """JSON kept as text: what is read is what was written, on every database.

    PostgreSQL's jsonb reorders keys, turns -0.0 into 0 and refuses NUL and lone surrogates, so that
    the same step results could give other numbers there than on SQLite. Nothing is queried by its
    content, so nothing is lost. ``nan`` and infinities are refused: they are not JSON.
    """

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        return None if value is None else json.loads(value)

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else json.dumps(value, ensure_ascii=True, allow_nan=False)

    def to_python(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except ValueError as error:
            raise ValidationError(f"this is not JSON: {error}") from error

    def value_to_string(self, obj: models.Model) -> str:
        return self.get_prep_value(self.value_from_object(obj)) or ""
