"""The page of an evolution: what was proposed, what is in the archive, and what moved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from csro_web.runs import projections
from csro_web.runs.models import Run
from oracles.loop import fold
from oracles.state import RunState
from oracles.steps import StepResult
from tests.browser import findings
from tests.oracles.alpha_evolve import world
from tests.web import builders
from tests.web.test_live_page import digests

pytestmark = pytest.mark.django_db


def evolved_run(*, proposals: int = 40, read: int | None = None) -> tuple[Run, RunState]:
    """A run whose rows follow from the step results of an evolution, all of it or a part."""
    config = world.config(proposals=proposals)
    wanted = proposals if read is None else read
    state, _ = world.run(config, stop=lambda known: len(known.candidates) >= wanted)
    run = builders.make_run(oracle="alpha_evolve")
    run.config = config.to_json()
    run.save()
    save(run, state)
    return run, state


def save(run: Run, state: RunState) -> None:
    """Without the payoff matrix, whose matches were never played."""
    projections.save(run, before=None, after=replace(state, cells=()))
    run.refresh_from_db()


def test_every_proposal_and_every_program_of_the_archive_is_told_of(viewer: Client) -> None:
    run, state = evolved_run()
    html = viewer.get(f"/runs/{run.pk}/evolution").content.decode()
    database = state.iterations[0].evolution
    assert database is not None
    assert html.count('scope="row"') == 40 + 3 + len(database.elites)
    pks = dict(run.candidates.values_list("attempt", "pk"))
    for elite in database.elites:
        assert f'href="/candidates/{pks[elite.attempt]}">attempt {elite.attempt}</a>' in html
    assert html.count("<td>island ") == 2 * len(database.migrations) > 0
    refused = sum(not record.accepted for record in state.candidates)
    assert f'<dt>Refused</dt><dd><span class="fig" title="">{refused}</span>' in html


def test_the_candidate_page_tells_island_stage_and_what_the_writer_was_shown(
    viewer: Client,
) -> None:
    run, state = evolved_run()
    record = next(
        c for c in state.candidates if c.evolved is not None and len(c.evolved.inspirations) == 2
    )
    assert record.evolved is not None
    pks = dict(run.candidates.values_list("key", "pk"))
    html = viewer.get(f"/candidates/{pks[record.key]}").content.decode()
    assert f"island {record.evolved.island + 1}, {record.evolved.stage}" in html
    for key in record.evolved.inspirations:
        assert f'href="/candidates/{pks[key]}"' in html
    assert "Repetition after wins" in html


def test_it_is_live_while_the_run_goes_on(viewer: Client) -> None:
    run, state = evolved_run(read=20)
    page = viewer.get(f"/runs/{run.pk}/evolution").content.decode()
    assert "20 of at most 40 proposals" in page
    address = f"/runs/{run.pk}/evolution/live"
    assert viewer.get(f"{address}?since={run.change}").status_code == 204
    later, _ = world.run(world.config(proposals=40), stop=lambda known: len(known.candidates) >= 21)
    projections.save(run, before=replace(state, cells=()), after=replace(later, cells=()))
    query = {"since": run.change, "have": digests(page)}
    answer = viewer.get(address, query).content.decode()
    assert "21 of at most 40 proposals" in answer
    assert "hx-trigger" in answer


def test_before_the_first_iteration_it_says_so(viewer: Client) -> None:
    run = builders.make_run(oracle="alpha_evolve")
    assert b"has not begun" in viewer.get(f"/runs/{run.pk}/evolution").content
    assert viewer.get(f"/runs/{run.pk}/evolution/live?since=0").status_code == 200


@pytest.mark.parametrize("address", ["evolution?iteration=7", "evolution?iteration=x"])
def test_an_iteration_that_is_not_there_has_no_page(address: str, viewer: Client) -> None:
    run, _ = evolved_run(read=3)
    assert viewer.get(f"/runs/{run.pk}/{address}").status_code == 404


def test_a_run_of_another_oracle_has_no_evolution(viewer: Client) -> None:
    run = builders.make_run()
    assert viewer.get(f"/runs/{run.pk}/evolution").status_code == 404
    assert b"/evolution" not in viewer.get(f"/runs/{run.pk}").content


def test_the_run_page_leads_there(viewer: Client) -> None:
    run = builders.make_run(oracle="alpha_evolve")
    assert f"/runs/{run.pk}/evolution".encode() in viewer.get(f"/runs/{run.pk}").content


@pytest.mark.parametrize("proposals", [20, 300])
def test_queries_do_not_grow_with_the_proposals(
    proposals: int, viewer: Client, django_assert_max_num_queries: Any
) -> None:
    config = world.config(proposals=proposals)
    results: dict[str, StepResult] = {}
    state = fold(config, results)
    while not state.stop_reason:
        results.update({step.key: world.invented(step, config) for step in state.pending})
        state = fold(config, results)
    run = builders.make_run(oracle="alpha_evolve")
    run.config = config.to_json()
    run.save()
    save(run, state)
    viewer.get("/")  # notes, once a minute, that the session is in use
    with django_assert_max_num_queries(9):
        html = viewer.get(f"/runs/{run.pk}/evolution").content.decode()
    assert (f"{proposals - 200} older ones" in html) is (proposals > 200)


@pytest.mark.needs("chromium")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_on_a_phone_and_with_assistive_technology(
    scheme: str, open_browser: Any, person: Any
) -> None:
    person("viewer")
    run, _ = evolved_run(proposals=20)
    browser = open_browser(390, 844, color_scheme=scheme)
    browser.sign_in("viewer")
    assert findings(browser, [f"/runs/{run.pk}/evolution"]) == []
