"""A run's calls as a file: CSV for spreadsheets, JSON with everything that was said."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import Any

from csro_web.calls.models import ModelCall
from csro_web.pages.csv_lines import Echo, safe_cell
from csro_web.runs.models import Run

COLUMNS = (
    *("id", "key", "purpose", "attempt", "endpoint", "model_asked", "model_served", "outcome"),
    *("finish_reason", "prompt_tokens", "completion_tokens", "usd", "seconds"),
    *("sent_at", "ended_at", "error"),
)
LONG = ("messages", "parameters", "answer", "answer_cut")


def csv_lines(run: Run) -> Iterator[Any]:
    """One line per call; an unknown figure is empty."""
    writer = csv.writer(Echo())
    yield writer.writerow(COLUMNS)
    for call in _calls(run).defer("messages", "parameters", "answer").iterator():
        yield writer.writerow([_cell(value) for value in _short(call).values()])


def json_parts(run: Run) -> Iterator[str]:
    """A list of calls; an unknown figure is null."""
    yield "["
    for number, call in enumerate(_calls(run).iterator(chunk_size=20)):
        entry = {**_short(call), **{name: getattr(call, name) for name in LONG}}
        yield (",\n" if number else "\n") + json.dumps(entry)
    yield "\n]\n"


def _calls(run: Run) -> Any:
    return ModelCall.objects.filter(run=run).order_by("pk")


def _short(call: ModelCall) -> dict[str, Any]:
    values = {name: getattr(call, name) for name in COLUMNS}
    for name in ("sent_at", "ended_at"):
        values[name] = values[name] and values[name].isoformat()
    return values


def _cell(value: Any) -> Any:
    return safe_cell(value) if isinstance(value, str) else value
