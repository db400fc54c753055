"""The review queue and the search over ten thousand different programs, in a new database."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from games.benchmarks import Row

POLICIES = 10_000
PER_RUN = 200
REPEATS = 3
LINES = 60


def pages() -> list[Row]:
    """Seconds of one page of each, database included; without the HTTP around it."""
    with tempfile.TemporaryDirectory(prefix="csro-bench-") as directory:
        os.environ["DATABASE_URL"] = f"sqlite:///{Path(directory) / 'bench.sqlite3'}"
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "csro_web.settings")
        import django
        from django.core.management import call_command
        from django.db import connections

        django.setup()
        call_command("migrate", verbosity=0, interactive=False)
        _fill()
        rows = _measure()
        connections.close_all()
    return rows


def _fill() -> None:
    from csro_web.policies.models import Origin, Policy
    from csro_web.runs.models import Run
    from csro_web.search import services
    from games.players import source_sha256

    body = "class Policy:\n    def act(self, obs):\n" + "".join(
        f"        self.slot_{n} = obs['round'] * self.weight + {n}  # step {n}\n"
        for n in range(LINES)
    )
    for start in range(0, POLICIES, PER_RUN):
        run = Run.objects.create(config={}, game="rrps", oracle="o", writer="w", seed=start)
        sources = [f"{body}        self.own = {n}\n" for n in range(start, start + PER_RUN)]
        hashes = [source_sha256(source) for source in sources]
        Policy.objects.bulk_create(
            Policy(
                run=run,
                index=n,
                name=f"policy {start + n}",
                origin=Origin.REFINED,
                source=source,
                sha256=sha256,
                weight=n / PER_RUN,
                weight_high=n / PER_RUN,
                urgency=n / PER_RUN,
            )
            for n, (source, sha256) in enumerate(zip(sources, hashes, strict=True))
        )
        services.remember(dict(zip(hashes, sources, strict=True)))


def _measure() -> list[Row]:
    from django.http import QueryDict

    from csro_web.accounts.models import Role, User
    from csro_web.approvals import queue
    from csro_web.policies.models import Policy
    from csro_web.search import query, selectors, shown

    person = User.objects.create_user("bench", role=Role.ADMINISTRATOR)

    def search(words: str) -> Callable[[], object]:
        asked = query.read(QueryDict(f"q={words}"))

        def page() -> object:
            found = selectors.search(asked, person, None).found
            return [shown.result(one, asked) for one in found]

        return page

    def by_reading(word: str) -> Callable[[], object]:
        texts = Policy.objects.values_list("pk", "source")
        return lambda: [key for key, source in texts.iterator() if word in source.lower()]

    narrow = queue.QueueFilter(game="rrps", state="unreviewed")
    listed = _seconds(lambda: queue.one_page(narrow, person, "100"))
    rare, often = _seconds(search("9999")), _seconds(search("weight"))
    reading = _seconds(by_reading("9999"))
    note = f"a page over {POLICIES:,} policies"
    return [
        Row("queue-page", listed, None, None, None, "s", f"{note}, filtered, the hundredth"),
        Row("search-often", often, None, None, None, "s", f"{note}, a word that all of them have"),
        Row(
            "search-rare",
            rare,
            reading,
            reading / rare,
            1.0,
            "s",
            f"{note}, against reading every program through the ORM",
        ),
    ]


def _seconds(work: Callable[[], object]) -> float:
    """Processor time of the quickest of a few tries."""
    spent = []
    for _ in range(REPEATS):
        started = time.process_time()
        work()
        spent.append(time.process_time() - started)
    return min(spent)
