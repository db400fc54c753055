"""What a person reads about the requests of a run: all of them, each one, and what they cost."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from csro_web.calls.ledger import DatabaseLedger
from csro_web.calls.models import ModelCall, Resend
from csro_web.runs.models import Run
from oracles.models import Outcome, OutcomeKind
from tests.calls.asking import answered, asked
from tests.web.builders import add_candidate

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>\u202e\x00 =cmd"


@pytest.fixture
def run(run_with: Callable[..., Run]) -> Run:
    """Answered, rate limited, and in flight; the first two for one candidate."""
    run = run_with(calls=10, tokens=50_000)
    ledger = DatabaseLedger(run.pk)
    failed = Outcome(kind=OutcomeKind.RATE_LIMITED, error=f"429 {HOSTILE}", seconds=0.1)
    ledger.settle(ledger.reserve(asked()), failed)
    ledger.settle(ledger.reserve(asked()), answered(HOSTILE, model=HOSTILE))
    ledger.reserve(asked("it1/attempt2/write"))
    add_candidate(run, 1, 1)
    return run


def html(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    text = response.content.decode()
    assert "<script>alert" not in text
    assert "\u202e" not in text
    return text


def test_the_list_shows_every_call_with_sums_against_the_budget(viewer: Client, run: Run) -> None:
    text = html(viewer, f"/runs/{run.pk}/calls")
    assert "3 calls" in text
    assert "1 answered, 1 not, 1 in flight" in text
    assert "and 1 call unknown" in text  # the failed one told neither tokens nor price
    assert "2,100" in text  # two upper estimates of 1,000 and the 100 that are known
    assert "0.0010 usd" in text
    for words in ("Rate limited", "Answered", "In flight", "it1/attempt2/write"):
        assert words in text


def test_the_list_is_narrowed_by_outcome_and_purpose(viewer: Client, run: Run) -> None:
    text = html(viewer, f"/runs/{run.pk}/calls?outcome=answered")
    assert "1 call matches the filter" in text
    assert "it1/attempt2" not in text
    assert "No call matches" in html(viewer, f"/runs/{run.pk}/calls?purpose=turn")
    assert "3 calls" in html(viewer, f"/runs/{run.pk}/calls?outcome=nonsense")


def test_what_is_unknown_is_never_shown_as_zero(
    viewer: Client, run_with: Callable[..., Run]
) -> None:
    run = run_with()
    ledger = DatabaseLedger(run.pk)
    unknown = answered(prompt_tokens=None, completion_tokens=None, usd=None, model=None)
    ledger.settle(ledger.reserve(asked(most_usd=None)), unknown)
    call = run.model_calls.get()
    for address in (f"/runs/{run.pk}/calls", f"/runs/{run.pk}", f"/calls/{call.pk}"):
        text = html(viewer, address)
        assert "unknown" in text
        assert "0.00 usd" not in text


def test_a_call_shows_what_was_sent_and_what_came_back_and_leads_to_its_candidate(
    viewer: Client, run: Run
) -> None:
    call = run.model_calls.get(outcome="answered")
    text = html(viewer, f"/calls/{call.pk}")
    for words in ("Write a policy.", "temperature", "U+202E", "U+0000", "=cmd", "openai/m"):
        assert words in text
    candidate = run.candidates.get()
    assert f'href="/candidates/{candidate.pk}"' in text
    assert f'href="/calls/{call.pk}"' in html(viewer, f"/candidates/{candidate.pk}")
    assert "Rate limited" in text  # the other request for the same key


def test_a_cut_answer_says_so(viewer: Client, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    ModelCall.objects.filter(outcome="answered").update(answer_cut=1234)
    text = html(viewer, f"/calls/{run.model_calls.get(outcome='answered').pk}")
    assert "was too long to keep" in text
    assert "1,234" in text


def test_the_run_page_shows_what_was_spent(viewer: Client, run: Run) -> None:
    text = html(viewer, f"/runs/{run.pk}")
    assert "Spent on the search" in text
    assert f'href="/runs/{run.pk}/calls"' in text


def test_the_run_page_says_what_a_person_has_to_correct(viewer: Client, run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(state="paused", pause_reason="a bad key <script>alert(1)")
    text = html(viewer, f"/runs/{run.pk}")
    assert "The run waits for a person." in text
    assert "a bad key" in text


def body(response: Any) -> str:
    return b"".join(response.streaming_content).decode()


def test_the_calls_are_had_as_csv_and_json(viewer: Client, run: Run) -> None:
    rows = list(csv.DictReader(io.StringIO(body(viewer.get(f"/runs/{run.pk}/calls.csv")))))
    assert [row["outcome"] for row in rows] == ["rate_limited", "answered", "in_flight"]
    assert [row["usd"] for row in rows] == ["", "0.001", ""]
    calls = json.loads(body(viewer.get(f"/runs/{run.pk}/calls.json")))
    assert [call["answer"] for call in calls] == [None, HOSTILE, None]
    assert calls[0]["usd"] is None


def test_an_operator_asks_for_a_call_once_more_and_only_once_at_a_time(
    operator: Client, viewer: Client, run: Run
) -> None:
    call = run.model_calls.get(outcome="answered")
    assert "do-resend" not in html(viewer, f"/calls/{call.pk}")
    assert viewer.post(f"/calls/{call.pk}/resend").status_code == 403
    text = operator.post(f"/calls/{call.pk}/resend", follow=True).content.decode()
    assert "A worker sends it once more" in text
    assert "Waiting for a worker" in text
    text = operator.post(f"/calls/{call.pk}/resend", follow=True).content.decode()
    assert "Not sent: it is being sent once more already." in text
    assert Resend.objects.count() == 1
