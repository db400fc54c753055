"""Every page that shows a payoff says which seed it came from and how well programs were locked in.

Pages come from the URL configuration, so that a new one is looked at without being named here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import pytest
from django.test import Client

from csro_web.accounts.models import Role, User
from csro_web.runs.models import Run
from tests.web import objects
from tests.web.test_inert_everywhere import body_of, pages

PAYOFF = re.compile(r"95 % interval [^\"]* to |interval unknown")
"""What :func:`csro_web.pages.numbers.payoff` says on hover."""


@pytest.mark.django_db
def test_every_page_with_a_payoff_names_its_seed_and_sandbox(
    person: Callable[[str], User], monkeypatch: pytest.MonkeyPatch
) -> None:
    once = {name: lru_cache(build) for name, build in objects.BUILDERS.items()}
    monkeypatch.setattr(objects, "BUILDERS", once)
    administrator = person(Role.ADMINISTRATOR)
    run = objects.run_of(None, "a run")
    Run.objects.filter(pk=run.pk).update(sandbox_level="full")
    client = Client()
    client.force_login(administrator)
    with_payoffs, lacking = set(), {}
    for pattern in pages():
        got = client.get(objects.address(pattern, run, administrator))
        text = body_of(got)
        if got.status_code != 200 or "<html" not in text or not PAYOFF.search(text):
            continue
        with_payoffs.add(pattern.name)
        plain = re.sub(r"<[^>]*>", " ", text).lower()
        missing = [word for word in ("seed", "sandbox") if word not in plain]
        if missing:
            lacking[pattern.name] = missing
    assert len(with_payoffs) >= 10
    assert lacking == {}
