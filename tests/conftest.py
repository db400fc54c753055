"""What a machine offers to the tests: ``@pytest.mark.needs("chromium")`` and the service fixtures.

A test whose need is not met is left out, and the summary says so; with ``./csro test --all`` it
fails instead.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services import NEEDS, PostgreSQL, Redis, is_met

pytest_plugins = ["tests.browser", "tests.people"]
# A shell without job control has what it starts in the background ignore Ctrl-C, and so do the
# programs that tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
ROOT = Path(__file__).resolve().parent.parent
ALL = bool(os.environ.get("CSRO_TEST_ALL"))
FIXTURE_NEEDS = {"postgresql_url": "postgresql", "redis_url": "redis"}


def needs_of(item: pytest.Item) -> list[str]:
    names = [name for marker in item.iter_markers("needs") for name in marker.args]
    fixtures = getattr(item, "fixturenames", ())
    names += [need for fixture, need in FIXTURE_NEEDS.items() if fixture in fixtures]
    unknown = sorted(set(names) - set(NEEDS))
    if unknown:
        raise pytest.UsageError(f"{item.nodeid} needs {unknown}; known are {sorted(NEEDS)}")
    return sorted(set(names))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "worker" in getattr(item, "fixturenames", ()):
            # Its heartbeat has a connection of its own, which must see what the test has made.
            item.add_marker(pytest.mark.django_db(transaction=True), append=False)
        for name in needs_of(item):
            if not is_met(name) and (NEEDS[name].optional or not ALL):
                item.add_marker(pytest.mark.skip(reason=f"needs {name}: {NEEDS[name].remedy}"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    for name in needs_of(item):
        if not is_met(name):
            pytest.fail(f"--all, but {name} is missing: {NEEDS[name].remedy}", pytrace=False)


class NamesAsTheyFail:
    """Prints a failing test when it fails: a run that is stopped has named what it found."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        if report.failed and terminal is not None:
            terminal.ensure_newline()
            terminal.write_line(f"{report.outcome} in {report.when}: {report.nodeid}")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(NamesAsTheyFail(config), "names-as-they-fail")


@pytest.fixture(autouse=True, scope="session")
def _flush_empties_the_trail() -> Iterator[None]:
    from tests.trail import flush_empties_the_trail

    with flush_empties_the_trail():
        yield


@pytest.fixture(scope="session")
def postgresql_url() -> Iterator[str]:
    """A PostgreSQL server of this session's own, on a spare port."""
    with PostgreSQL() as server:
        yield server.url


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """A Redis server of this session's own, on a spare port."""
    with Redis() as server:
        yield server.url
