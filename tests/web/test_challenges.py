"""Challenging from a page: the form, the run it launches, and what the policy page keeps."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from csro_web.challenges import services, targets
from csro_web.challenges.models import Challenge
from csro_web.policies.models import Origin, Policy
from csro_web.runs.models import Run
from csro_web.runs.settings_list import settings_of
from games.players import CodePlayer
from oracles.challenge import frozen_population
from oracles.config import RunConfig
from tests.web import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def finished(db: None) -> Run:
    run = builders.populated_run(iterations=1, state="finished")
    size = run.policies.count()
    run.final_sigma = [0.0] * (size - 2) + [0.25, 0.75]
    run.save()
    return run


def opened(client: Client, address: str, **changes: str) -> dict[str, str]:
    """What the form sends when it is opened and only ``changes`` are made."""
    form = client.get(address).context["form"]
    values = {bound.name: bound.value() for bound in form}
    sent = {name: str(value) for name, value in values.items() if value not in (None, False, "")}
    return {**sent, **changes}


def challenge_of(policy: Policy, *, value: float, found: bool = True, **fields: Any) -> Run:
    run = builders.make_run(
        state="finished",
        challenge=[{"name": policy.name, "source": policy.source, "policy": policy.pk}],
        oracle="best_of_n",
    )
    run.lower_bound = {
        "policy": 1, "mean": value, "low": value - 9, "high": value + 9, "found": found,
        "value": value if found else 0.0,
    }  # fmt: skip
    run.decisions = 440_000
    run.save()
    Challenge.objects.create(
        run=run, target=f"code:{policy.sha256}", title=policy.name, policy=policy, **fields
    )
    return run


def test_a_policy_is_challenged_from_its_page(finished: Run, operator: Client) -> None:
    policy = finished.policies.get(origin=Origin.REFINED)
    address = f"/policies/{policy.pk}/challenge"
    assert f'href="{address}"' in operator.get(f"/policies/{policy.pk}").content.decode()
    sent = opened(operator, address, oracle="best_of_n", proposals="7", episodes="12", seed="5")
    answer = operator.post(address, sent)
    run = Run.objects.latest("pk")
    assert answer.url == f"/runs/{run.pk}"
    config = RunConfig.from_json(run.config)
    assert (str(config.oracle), config.proposals, config.episodes) == ("best_of_n", 7, 12)
    assert (config.iterations, config.seed, run.launched_by.username) == (1, 5, "operator")
    (opponent,) = frozen_population(config)
    assert opponent.player.sha256 == policy.sha256  # type: ignore[union-attr]
    assert run.challenge.policy == policy
    assert not run.steps.filter(kind__in=["solve", "evaluate", "play"]).exists()
    html = operator.get(f"/runs/{run.pk}").content.decode()
    assert "Challenge of" in html
    assert "being searched" in html
    assert "Held-out evaluation" not in html


def test_the_final_mixture_is_challenged_by_its_weights(finished: Run, operator: Client) -> None:
    address = f"/runs/{finished.pk}/challenge"
    assert f'href="{address}"' in operator.get(f"/runs/{finished.pk}").content.decode()
    operator.post(address, opened(operator, address))
    run = Run.objects.latest("pk")
    assert run.is_challenge
    assert [one["weight"] for one in run.config["challenge"]] == [0.75, 0.25]
    html = operator.get(f"/runs/{finished.pk}").content.decode()
    assert "Challenges of this mixture" in html
    assert f'href="/runs/{run.pk}"' in html


def test_a_file_whose_name_is_no_text_can_be_challenged() -> None:
    player = CodePlayer(builders.FIRST)
    target = targets.of_player("bots/\udcff.py", player, "rrps", {})
    run = services.launch(target, services.config_of(target, {"episodes": 2}), announce=False)
    assert Run.objects.get(pk=run.pk).challenge.title == "bots/\\udcff.py"


def test_a_run_without_a_final_mixture_says_what_to_wait_for(operator: Client) -> None:
    run = builders.populated_run(iterations=1)
    answer = operator.get(f"/runs/{run.pk}/challenge", follow=True)
    assert "has no final mixture to challenge" in answer.content.decode()


def test_mistakes_stand_beside_their_field_and_nothing_is_launched(
    finished: Run, operator: Client
) -> None:
    policy = finished.policies.get(origin=Origin.REFINED)
    address = f"/policies/{policy.pk}/challenge"
    before = Run.objects.count()
    sent = opened(operator, address, oracle="best_of_n", proposals="0", seed="12")
    answer = operator.post(address, sent)
    assert answer.status_code == 422
    assert answer.context["form"].errors["proposals"]
    assert 'value="12"' in answer.content.decode()
    assert operator.post(address, {**sent, "oracle": "cfr"}).context["form"].errors["oracle"]
    unasked = operator.post(address, {**sent, "proposals": "3", "writer": "llm"})
    assert unasked.context["form"].errors["model_models"]
    assert Run.objects.count() == before


def test_what_is_played_is_not_the_forms_to_say(finished: Run, operator: Client) -> None:
    policy = finished.policies.get(origin=Origin.REFINED)
    address = f"/policies/{policy.pk}/challenge"
    operator.post(address, opened(operator, address, game="leduc", initial="bot:uniform"))
    run = Run.objects.latest("pk")
    assert run.game == "rrps"
    assert run.config["initial"] == []


def test_a_viewer_sees_bounds_but_challenges_nobody(finished: Run, viewer: Client) -> None:
    policy = finished.policies.get(origin=Origin.REFINED)
    html = viewer.get(f"/policies/{policy.pk}").content.decode()
    assert "nobody has challenged this policy yet" in html
    assert f"/policies/{policy.pk}/challenge" not in html
    assert viewer.get(f"/policies/{policy.pk}/challenge").status_code == 403
    assert viewer.post(f"/runs/{finished.pk}/challenge").status_code == 403


def test_the_policy_page_lists_all_challenges_strongest_first_with_their_effort(
    finished: Run, viewer: Client
) -> None:
    policy = finished.policies.get(origin=Origin.REFINED)
    weak, strong = challenge_of(policy, value=40.0), challenge_of(policy, value=310.0)
    nothing = challenge_of(policy, value=2.0, found=False)
    html = viewer.get(f"/policies/{policy.pk}").content.decode()
    places = [html.index(f'href="/runs/{run.pk}"') for run in (strong, weak, nothing)]
    assert places == sorted(places)
    assert "+310" in html
    assert "no exploiter found" in html
    assert "Lower bound" in html
    assert "440,000" in html
    assert "it may still be exploitable" in html


def test_a_challenge_of_the_same_program_in_another_run_counts_too(
    finished: Run, viewer: Client
) -> None:
    policy = finished.policies.get(origin=Origin.REFINED)
    challenge_of(policy, value=77.0)
    other = builders.make_run()
    twin = builders.add_policy(other, policy.source, name="twin")
    assert "+77" in viewer.get(f"/policies/{twin.pk}").content.decode()
    leduc = builders.add_policy(builders.make_run(game="leduc"), policy.source, name="elsewhere")
    assert "+77" not in viewer.get(f"/policies/{leduc.pk}").content.decode()


def test_a_challenge_that_found_nothing_does_not_say_unexploitable(
    finished: Run, viewer: Client
) -> None:
    run = challenge_of(finished.policies.get(origin=Origin.REFINED), value=2.0, found=False)
    html = viewer.get(f"/runs/{run.pk}").content.decode()
    assert "No exploiter was found with this effort" in html
    assert "That does not mean that there is none" in html


def test_a_challenge_lists_only_the_settings_that_it_has(finished: Run) -> None:
    policy = finished.policies.get(origin=Origin.REFINED)
    challenged = settings_of(challenge_of(policy, value=12.0))
    told = {label for label, _ in challenged}
    assert "Episodes per pair" in told
    assert not told & {
        "Episodes per held-out opponent",
        "Meta-solver of the search",
        "Meta-solver of the final mixture",
    }
    assert "Meta-solver of the search" in {label for label, _ in settings_of(finished)}
