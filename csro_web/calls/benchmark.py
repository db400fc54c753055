"""What the product adds to a call of a model, its records in a database included."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path

from games.benchmarks import Row
from oracles.benchmarks.model_calls import overhead

RUN = {"game": "rrps", "writer": "llm", "model": {"models": [{"model": "answers-at-once"}]}}


def overheads() -> list[Row]:
    """With a ledger in memory, then with one in a new SQLite database of its own."""
    return [*overhead(), *_in_database()]


def _in_database() -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="csro-bench-") as directory:
        os.environ["DATABASE_URL"] = f"sqlite:///{Path(directory) / 'bench.sqlite3'}"
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "csro_web.settings")
        import django
        from django.core.management import call_command
        from django.db import connections

        django.setup()
        call_command("migrate", verbosity=0, interactive=False)
        from csro_web.calls.ledger import DatabaseLedger
        from csro_web.runs.models import Run

        run = Run.objects.create(config=RUN, game="rrps", oracle="zero_shot", writer="llm", seed=0)
        rows = overhead(DatabaseLedger(run.pk), "in a database")
        connections.close_all()
    return [replace(row, name=f"{row.name}-database") for row in rows]
