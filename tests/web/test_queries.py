"""Pages stay bounded, however much the database holds."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from csro_web.policies.models import Policy
from csro_web.runs.models import Iteration, Run
from tests.web import builders

pytestmark = pytest.mark.django_db


def pages(run: Run) -> dict[str, int]:
    """Most queries that each page may make, session and person included."""
    policy, candidate, cell = run.policies.last(), run.candidates.last(), run.cells.last()
    return {
        "/": 11,
        f"/runs/{run.pk}": 22,
        f"/runs/{run.pk}/live?since=0": 19,
        f"/runs/{run.pk}/live?since={run.change}": 4,
        f"/runs/{run.pk}/candidates": 10,
        f"/policies/{policy.pk}": 32,
        f"/policies/{policy.pk}/diff/{run.policies.first().pk}": 27,
        f"/candidates/{candidate.pk}": 16,
        f"/candidates/{candidate.parent_id}/diff/{candidate.pk}": 19,
        f"/matches/{cell.match_id}": 12,
    }


@pytest.mark.parametrize("iterations", [2, 12])
def test_each_page_makes_few_queries_however_long_the_run(
    iterations: int, viewer: Client, django_assert_max_num_queries: Any
) -> None:
    run = builders.populated_run(iterations=iterations)
    viewer.get("/")  # notes, once a minute, that the session is in use
    for address, most in pages(run).items():
        with django_assert_max_num_queries(most):
            assert viewer.get(address).status_code in (200, 204), address


def test_ten_thousand_policies_make_no_page_longer(viewer: Client) -> None:
    run = builders.populated_run(iterations=2)
    before = {address: len(viewer.get(address).content) for address in pages(run)}
    crowd = [builders.make_run() for _ in range(50)]
    Policy.objects.bulk_create(
        Policy(run=other, index=n, name=f"p{n}", origin="initial", source=f"# {n}", sha256="0" * 64)
        for other in crowd
        for n in range(200)
    )
    for address, size in before.items():
        if address != "/":
            assert len(viewer.get(address).content) < size + 2_000, address
    assert len(viewer.get("/").content) < 60_000
    assert viewer.get("/").context["page"].paginator.num_pages == 3


def test_a_population_of_two_hundred_is_drawn_by_its_weightiest(viewer: Client) -> None:
    run = builders.make_run()
    Policy.objects.bulk_create(
        Policy(run=run, index=n, name=f"p{n}", origin="initial", source=f"# {n}", sha256=f"{n:064}")
        for n in range(200)
    )
    sigma = [0.0] * 200
    sigma[3], sigma[150] = 0.5, 0.5
    Iteration.objects.create(run=run, index=1, sigma=sigma, sigma_low=sigma, sigma_high=sigma)
    page = viewer.get(f"/runs/{run.pk}")
    assert len(page.content) < 600_000
    assert b"168 policies that matter least" in page.content
    assert page.content.count(b"p150") > 2
