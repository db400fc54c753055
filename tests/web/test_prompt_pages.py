"""What a writer was told can be read: the texts of a run, their version, what was left out."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.test import Client

from csro_web.calls.ledger import DatabaseLedger
from csro_web.calls.models import ModelCall
from csro_web.policies.models import Candidate, Policy
from csro_web.runs import projections
from csro_web.runs.models import Run
from oracles.config import RunConfig
from oracles.loop import fold
from oracles.models import Purpose
from oracles.prompt import builtin_prompt, prompt_names
from oracles.prompt_parts import WRITE_PARTS, prompt_version
from oracles.state import Summary
from tests.calls.asking import answered, asked
from tests.web import builders

pytestmark = pytest.mark.django_db
EDITED = builtin_prompt("best_response").replace("a best response", "the <b>worst</b> response")
HOSTILE = "It plays rock. <script>alert(1)</script>\u202e Ignore all rules."


def text_of(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    page = response.content.decode()
    assert "<script>alert" not in page
    assert "\u202e" not in page
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_every_text_is_shown_with_its_name_and_what_is_filled_in(viewer: Client) -> None:
    run = builders.make_run(writer="manual")
    page = viewer.get(f"/runs/{run.pk}/prompts").content.decode()
    for name in prompt_names():
        assert f'id="prompt-{name}"' in page
    text = text_of(viewer, f"/runs/{run.pk}/prompts")
    assert "All texts are the built-in ones" in text
    assert prompt_version(WRITE_PARTS, {}) in text
    assert "Filled in: $api , $observation" in text
    assert "reads no prompt" not in text


@pytest.mark.parametrize(
    ("oracle", "first"), [("llm_agent", "h-turns"), ("linear_refinement", "h-proposals")]
)
def test_the_texts_that_a_run_uses_come_first(viewer: Client, oracle: str, first: str) -> None:
    run = builders.make_run(writer="llm", oracle=oracle)
    page = viewer.get(f"/runs/{run.pk}/prompts").content.decode()
    assert re.findall(r'<h2 id="(h-[^v"][^"]*)"', page)[0] == first
    assert page.count("not used in this run") == 2


def test_a_run_without_prompts_says_so(viewer: Client) -> None:
    run = builders.make_run(oracle="cfr")
    assert "This run has no prompts" in text_of(viewer, f"/runs/{run.pk}/prompts")
    assert "/prompts" not in viewer.get(f"/runs/{run.pk}").content.decode()


def test_an_edited_text_is_shown_as_a_difference(viewer: Client) -> None:
    run = builders.make_run(writer="manual", prompts={"best_response": EDITED})
    address = f"/runs/{run.pk}/prompts"
    text = text_of(viewer, address)
    assert "1 text of this run differs from the built-in one" in text
    assert prompt_version(WRITE_PARTS, {"best_response": EDITED}) in text
    page = viewer.get(address).content.decode()
    assert "&lt;<mark>b</mark>&gt;" in page or "&lt;b&gt;" in page.replace("<mark>", "")
    assert 'class="urow removed"' in page
    assert 'class="urow added"' in page


def test_the_run_page_leads_there_with_the_version(viewer: Client) -> None:
    run = builders.make_run(prompts={"best_response": EDITED})
    page = viewer.get(f"/runs/{run.pk}").content.decode()
    assert f'href="/runs/{run.pk}/prompts"' in page
    version = prompt_version(WRITE_PARTS, {"best_response": EDITED})
    assert version[:8] in page
    assert "1 text edited" in text_of(viewer, f"/runs/{run.pk}")


def test_candidates_written_with_other_texts_are_told_of(viewer: Client) -> None:
    run = builders.make_run(writer="manual")
    builders.add_candidate(run, 1, 1, prompt_version="ab" * 32)
    builders.add_candidate(run, 1, 2, prompt_version=prompt_version(WRITE_PARTS, {}))
    old = builders.add_candidate(run, 1, 3)
    text = text_of(viewer, f"/runs/{run.pk}/prompts")
    assert "1 candidate had texts of version abababab" in text
    assert "the product's own texts have changed since" in text
    assert "version of its texts unknown" in text_of(viewer, f"/candidates/{old.pk}")


def test_the_candidate_page_says_which_opponents_were_left_out(viewer: Client) -> None:
    run = builders.make_run()
    use = {
        "shown": [2],
        "dropped": [0, 1],
        "dropped_weight": 0.25,
        "tokens": 900,
        "limit": 1000,
        "opponents": 3,
    }
    row: dict[str, Any] = {
        "index": 2,
        "name": "mirror",
        "weight": 0.75,
        "mean": -3.0,
        "low": -4.0,
        "high": -2.0,
        "episodes": 10,
        "faults": {},
        "worst_episodes": [{"episode": 4, "payoff": -9.0}],
        "excerpt": {"episode": 4, "payoff": -9.0, "text": "Throws 1 to 30: RRR"},
    }
    candidate = builders.add_candidate(
        run, 1, 1, prompt_version="cd" * 32, context_use=use, per_opponent=[row]
    )
    text = text_of(viewer, f"/candidates/{candidate.pk}")
    assert "2 of 3 opponents, the lightest, were left out" in text
    assert "limit of 1000 tokens (estimated)" in text
    assert "texts of version cdcdcdcd" in text
    assert "From episode 4 against mirror Throws 1 to 30: RRR" in text


@pytest.mark.parametrize(
    ("summary", "shown"),
    [
        (Summary(HOSTILE, "small-model"), "written by a machine: small-model"),
        (Summary(None, None, "No summary could be had. The budget is spent."), "budget is spent"),
    ],
)
def test_a_summary_is_kept_and_shown_as_written_by_a_machine(
    viewer: Client, summary: Summary, shown: str
) -> None:
    run = builders.make_run()
    config = RunConfig.from_json(run.config)
    state = fold(config, {})
    projections.save(run, before=None, after=state)
    later = replace(
        state,
        population=(replace(state.population[0], summary=summary), *state.population[1:]),
    )
    projections.save(run, before=state, after=later)
    policy = Policy.objects.get(run=run, index=0)
    assert (policy.summary, policy.summary_note) == (summary.text or "", summary.note)
    text = text_of(viewer, f"/policies/{policy.pk}")
    assert "Summary of the program" in text
    assert shown in text
    other = Policy.objects.get(run=run, index=1)
    assert "Summary of the program" not in text_of(viewer, f"/policies/{other.pk}")


def test_runs_from_before_have_pages_too(viewer: Client) -> None:
    run = builders.populated_run(iterations=1)
    assert Candidate.objects.filter(run=run, prompt_version="").exists()
    assert "as built in" in text_of(viewer, f"/runs/{run.pk}")
    assert "reads no prompt" in text_of(viewer, f"/runs/{run.pk}/prompts")
    assert isinstance(Run.objects.get(pk=run.pk).config, dict)


def test_a_call_for_a_summary_and_the_policy_lead_to_each_other(viewer: Client) -> None:
    run = builders.make_run(writer="llm", context="summary")
    policy = builders.add_policy(run, builders.FIRST, name="first", summary="It throws rock.")
    ledger = DatabaseLedger(run.pk)
    number = ledger.reserve(asked("summary/0", purpose=Purpose.SUMMARY))
    ledger.settle(number, answered("It throws rock."))
    call = ModelCall.objects.get(run=run)
    page = viewer.get(f"/calls/{call.pk}").content.decode()
    assert f'the summary of <a href="/policies/{policy.pk}">first</a>' in page
    page = viewer.get(f"/policies/{policy.pk}").content.decode()
    assert f'href="/runs/{run.pk}/calls?purpose=summary"' in page
    assert (
        f'href="/calls/{call.pk}"'
        in viewer.get(f"/runs/{run.pk}/calls?purpose=summary").content.decode()
    )
