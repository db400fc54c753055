"""An author is known again when somebody else commits their program with other comments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from csro_web.accounts.models import Role, User
from csro_web.changes.models import BroughtProgram, Change, Fingerprint, PendingImport
from csro_web.changes.people import people_behind, people_behind_each
from csro_web.policies.models import Origin, Policy
from csro_web.runs.models import Run
from oracles.fingerprint import GRAMMAR, fingerprint
from tests.changes.real_runs import CALLER, launch
from tests.changes.test_people_behind import answered
from tests.web import builders

pytestmark = pytest.mark.django_db(transaction=True)
DISGUISED = CALLER.replace('"""Always calls."""', "# Never folds, to my mind.").replace(
    "return 1", "return (1)"
)
AsRole = Callable[[str], Client]
Person = Callable[[str], User]


def paste(client: Client, run: Run, text: str) -> str:
    """Through the page that adds policies; where what was pasted is shown."""
    sent = client.post(f"/runs/{run.pk}/policies/add", {"text": text, "name": "mine"})
    assert sent.status_code == 302, sent.content.decode()
    return str(sent["Location"])


def commit(client: Client, address: str) -> Policy:
    sent = {"item": "0", "name-0": "mine", "reason": "mine"}
    assert client.post(address, sent).status_code == 302
    return join(Change.objects.order_by("pk").last())


def join(change: Any) -> Policy:
    """As the fold does when the row of a change was played."""
    policy = builders.add_policy(
        change.run,
        change.source,
        name=change.name,
        origin=change.origin,
        change_number=change.number,
    )
    Change.objects.filter(pk=change.pk).update(policy=policy, outcome="joined")
    return policy


def is_refused(policy: Policy, approver: Client, words: str) -> None:
    page = approver.get(f"/policies/{policy.pk}/approval").content.decode()
    assert words in page
    sent = {"decision": "approved", "sha256": policy.sha256, "reason": "I read it."}
    answer = approver.post(f"/policies/{policy.pk}/approval/decide", sent)
    assert answer.status_code == 409
    assert words in answer.content.decode()


def test_who_pasted_a_program_is_its_author_though_another_commits_it_with_another_comment(
    as_role: AsRole,
) -> None:
    run, other = launch(), launch()
    paste(as_role(Role.ADMINISTRATOR), other, CALLER)
    reviewer = as_role(Role.REVIEWER)
    policy = commit(reviewer, paste(reviewer, run, DISGUISED))
    PendingImport.objects.filter(run=other).delete()  # as those that nobody commits are
    assert fingerprint(CALLER) == fingerprint(DISGUISED)
    is_refused(policy, as_role(Role.ADMINISTRATOR), "You brought it.")


def test_who_committed_it_elsewhere_is_its_author(as_role: AsRole) -> None:
    run, other = launch(), launch()
    approver, reviewer = as_role(Role.ADMINISTRATOR), as_role(Role.REVIEWER)
    commit(approver, paste(approver, other, CALLER))
    policy = commit(reviewer, paste(reviewer, run, DISGUISED))
    is_refused(policy, approver, f"You imported it into run {other.pk}.")


def test_who_tried_it_in_another_run_is_its_author(as_role: AsRole) -> None:
    run, other = launch(), launch()
    approver, reviewer = as_role(Role.ADMINISTRATOR), as_role(Role.REVIEWER)
    edited = other.policies.exclude(source="").first()
    assert edited is not None
    sent = approver.post(f"/policies/{edited.pk}/edit/try", {"source": CALLER, "episodes": "2"})
    assert sent.status_code in (200, 302), sent.content.decode()
    policy = commit(reviewer, paste(reviewer, run, DISGUISED))
    is_refused(policy, approver, "You first tried it.")


def test_who_answered_with_it_in_a_writers_place_is_its_author(
    as_role: AsRole, person: Person
) -> None:
    run, asked = launch(), builders.make_run(writer="manual")
    candidate = builders.add_candidate(asked, 1, 1, source=CALLER)
    answered(asked, candidate.key, person(Role.ADMINISTRATOR))
    reviewer = as_role(Role.REVIEWER)
    policy = commit(reviewer, paste(reviewer, run, DISGUISED))
    is_refused(
        policy, as_role(Role.ADMINISTRATOR), "You answered in the writer&#x27;s place for it."
    )


def test_an_answer_that_another_gave_before_with_other_comments_is_of_both(person: Person) -> None:
    asked, again = builders.make_run(writer="manual"), builders.make_run(writer="manual")
    first = builders.add_candidate(asked, 1, 1, source=CALLER)
    second = builders.add_candidate(again, 1, 1, source=DISGUISED)
    answered(asked, first.key, person(Role.ADMINISTRATOR))
    answered(again, second.key, person(Role.REVIEWER))
    policy = builders.add_policy(again, DISGUISED, name="best response 1", candidate=second)
    told = ["answered in the writer's place for it"]
    named = {person(Role.ADMINISTRATOR).pk: told, person(Role.REVIEWER).pk: told}
    assert people_behind(policy) == named
    assert people_behind_each([policy]) == {policy.pk: named}


def test_a_search_product_stays_its_launchers_though_it_is_called_an_edit_of_something_else(
    as_role: AsRole, person: Person
) -> None:
    run, searched = launch(), builders.make_run()
    searched.launched_by = person(Role.ADMINISTRATOR)
    searched.save()
    candidate = builders.add_candidate(searched, 1, 1, source=CALLER)
    builders.add_policy(searched, CALLER, name="best response 1", candidate=candidate)
    parent = run.policies.exclude(source="").first()
    assert parent is not None
    sent = {"source": DISGUISED, "reason": "a small edit", "name": "edited"}
    answer = as_role(Role.REVIEWER).post(f"/policies/{parent.pk}/edit/commit", sent)
    assert answer.status_code == 302, answer.content.decode()
    policy = join(Change.objects.get())
    is_refused(policy, as_role(Role.ADMINISTRATOR), "You launched the run of an ancestor of it.")


def test_looking_at_a_known_program_once_more_makes_nobody_its_author(as_role: AsRole) -> None:
    run, other = launch(), launch()
    approver, reviewer = as_role(Role.ADMINISTRATOR), as_role(Role.REVIEWER)
    policy = commit(reviewer, paste(reviewer, run, CALLER))
    paste(approver, other, DISGUISED)
    taken = {"way": "run", "policy": str(policy.pk)}
    assert approver.post(f"/runs/{other.pk}/policies/add", taken).status_code == 302
    page = approver.get(f"/policies/{policy.pk}/approval").content.decode()
    assert "You brought it" not in page


def test_what_is_older_than_the_fingerprints_or_than_this_python_gets_them_with_a_migration(
    as_role: AsRole,
) -> None:
    run, other = launch(), launch()
    approver, reviewer = as_role(Role.ADMINISTRATOR), as_role(Role.REVIEWER)
    paste(approver, other, CALLER)
    policy = commit(reviewer, paste(reviewer, run, DISGUISED))
    BroughtProgram.objects.all().delete()
    Fingerprint.objects.all().delete()
    call_command("migrate", "changes", "0002", verbosity=0)
    call_command("migrate", verbosity=0)
    is_refused(policy, approver, "You brought it.")
    Fingerprint.objects.update(program="0" * 64, grammar="3.0")
    call_command("migrate", verbosity=0)
    is_refused(policy, approver, "You brought it.")
    assert set(Fingerprint.objects.values_list("grammar", flat=True)) == {GRAMMAR}


def test_every_program_of_a_population_and_of_its_search_has_its_fingerprint() -> None:
    run = launch()
    hashes = set(run.policies.exclude(source="").values_list("sha256", flat=True))
    assert hashes
    assert hashes == set(Fingerprint.objects.values_list("sha256", flat=True))
    assert not Policy.objects.filter(origin=Origin.BOT, sha256__in=hashes).exists()
