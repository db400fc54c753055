"""Launching and steering runs: defaults, errors beside the field, and input that is never lost."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from csro_web.runs import forms
from csro_web.runs.models import Run, RunState
from tests.web import builders

pytestmark = pytest.mark.django_db


def filled(**changes: Any) -> dict[str, Any]:
    return {**{key: str(value) for key, value in forms.first_values().items() if value}, **changes}


def test_a_newcomer_only_presses_launch(operator: Client) -> None:
    page = operator.get("/runs/new")
    form = page.context["form"]
    untouched = {bound.name: bound.value() for bound in form if bound.value() not in (None, False)}
    answer = operator.post("/runs/new", untouched)
    run = Run.objects.get()
    assert answer.url == f"/runs/{run.pk}"
    assert (run.game, run.writer, run.launched_by.username) == ("rrps", "grammar", "operator")
    assert run.steps.exists()


def test_looking_at_the_form_launches_nothing(operator: Client) -> None:
    operator.get("/runs/new", filled())
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("iterations", "0", "greater than or equal to 1"),
        ("iterations", "five", "whole number"),
        ("game", "chess", "not one of the available choices"),
        ("seed", "-1", "greater than or equal to 0"),
        ("initial", "nobody", "nobody"),
        ("recording", "12345", "no such run"),
        ("recording", "\u00b2", "no such run"),
        ("target", "nan", "number"),
    ],
)
def test_what_is_not_possible_is_said_beside_its_field_and_the_input_stays(
    field: str, value: str, told: str, operator: Client
) -> None:
    writer = "replay" if field == "recording" else "grammar"
    answer = operator.post("/runs/new", filled(writer=writer, name="kept", **{field: value}))
    assert answer.status_code == 422
    assert told in " ".join(answer.context["form"].errors[field])
    html = answer.content.decode()
    assert 'value="kept"' in html
    assert html.index(f'id="id_{field}-notes"') < html.index("field-error")
    assert not Run.objects.exists()


def test_a_game_parameter_reaches_the_run(operator: Client) -> None:
    operator.post("/runs/new", filled(game="leduc", param_leduc_reveal="always"))
    assert Run.objects.get().config["params"] == {"reveal": "always"}


def test_a_run_opens_the_form_again_with_its_own_settings(operator: Client) -> None:
    run = builders.make_run(game="leduc", params={"reveal": "always"}, iterations=9, seed=77)
    assert f'"/runs/new?from={run.pk}"' in operator.get(f"/runs/{run.pk}").content.decode()
    form = operator.get(f"/runs/new?from={run.pk}").context["form"]
    assert [form[name].value() for name in ("game", "iterations", "seed")] == ["leduc", 9, 77]
    assert form["param_leduc_reveal"].value() == "always"


def test_a_form_sent_after_the_session_ended_comes_back_with_its_input(
    client: Client, person: Any
) -> None:
    person("operator")
    answer = client.post("/runs/new", filled(iterations="17", name="a & b"))
    page = client.post(answer.url, {"username": "operator", "password": "operator"})
    assert page.status_code == 302
    form = client.get(page.url).context["form"]
    assert (form["iterations"].value(), form["name"].value()) == ("17", "a & b")
    assert not Run.objects.exists()


def test_a_form_with_a_stale_protection_token_can_be_opened_again_with_its_input(
    person: Any,
) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(person("operator"))
    answer = client.post("/runs/new", filled(iterations="17"))
    assert answer.status_code == 403
    assert b"iterations=17" in answer.content


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "javascript:x"])
def test_signing_in_leads_nowhere_outside(target: str, client: Client, person: Any) -> None:
    person("viewer")
    answer = client.post("/sign-in", {"username": "viewer", "password": "viewer", "next": target})
    assert answer.url == "/"


def test_the_estimate_follows_the_choices_and_is_unknown_for_impossible_ones(
    operator: Client,
) -> None:
    few = operator.post("/runs/new/estimate", filled(iterations="1", refinements="1"))
    # 21 pairs of 7 policies, 7 for the new row, 7 scored, 3 times 43 held out
    assert few.context["size"].matches == 21 + 7 + 7 + 129
    assert few.context["size"].decisions == (35 * 10 + 129 * 20) * 2000
    assert b"Unknown" in operator.post("/runs/new/estimate", filled(iterations="0")).content


def test_pause_resume_and_cancel_move_the_run_and_say_so(operator: Client) -> None:
    run = builders.make_run()
    for action, state in (("pause", "paused"), ("resume", "running"), ("cancel", "cancelled")):
        page = operator.post(f"/runs/{run.pk}/{action}", follow=True)
        run.refresh_from_db()
        assert run.state == state
        assert b"note-success" in page.content


def test_what_does_not_fit_the_state_is_refused_in_words(operator: Client) -> None:
    run = builders.make_run(state=RunState.FINISHED)
    page = operator.post(f"/runs/{run.pk}/pause", follow=True)
    assert b"Cannot pause" in page.content
    run.refresh_from_db()
    assert run.state == RunState.FINISHED


def test_a_reader_without_the_right_learns_who_could_help(viewer: Client, person: Any) -> None:
    person("administrator")
    page = viewer.get("/runs/new")
    assert page.status_code == 403
    assert b"may not launch runs" in page.content
    assert b"<bdi>administrator</bdi>" in page.content
    assert b"Launch a run" not in viewer.get("/").content


@pytest.mark.parametrize("address", ["/runs/99", "/policies/99", "/matches/99", "/candidates/99"])
def test_what_is_not_there_is_a_plain_404(address: str, viewer: Client) -> None:
    page = viewer.get(address)
    assert page.status_code == 404
    assert b"There is nothing at this address" in page.content


def test_a_recording_of_another_game_is_refused_with_both_games_named(operator: Client) -> None:
    recorded = builders.make_run(game="rrps")
    asked = filled(game="leduc", writer="replay", recording=str(recorded.pk))
    answer = operator.post("/runs/new", asked)
    assert answer.status_code == 422
    assert "a run of rrps; its programs cannot play leduc" in answer.content.decode()
    assert Run.objects.count() == 1


def test_the_list_names_no_writer_where_nobody_writes(operator: Client) -> None:
    builders.make_run(oracle="cfr")
    rows = operator.get("/").content.decode()
    assert "CFR+" in rows
    assert "Grammar" not in rows
