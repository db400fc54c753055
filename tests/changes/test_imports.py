"""Bringing policies in through the page: shown first, committed one by one, nothing believed."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from csro_web import signing
from csro_web.accounts.models import Role, Team
from csro_web.audit.models import AuditEvent
from csro_web.bundles.writing import Signer, write_bundle
from csro_web.changes import uploads
from csro_web.changes.archives import MOST_PROGRAMS
from csro_web.changes.models import Change, PendingImport
from csro_web.policies.models import Origin
from csro_web.runs.models import Run
from tests.bundles import made
from tests.changes.test_archives import GOOD, zipped
from tests.changes.test_services import CALLER, RAISER, launch
from tests.web import builders

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run() -> Run:
    return launch()


@pytest.fixture
def client(as_role: Callable[[str], Client]) -> Client:
    return as_role(Role.REVIEWER)


def upload(client: Client, run: Run, name: str, data: bytes, **more: Any) -> Any:
    sent = {"way": "upload", "file": SimpleUploadedFile(name, data, "text/x-python"), **more}
    return client.post(f"/runs/{run.pk}/policies/add", sent)


def test_a_pasted_program_is_shown_and_then_committed_with_where_it_came_from(
    client: Client, run: Run
) -> None:
    shown = client.post(
        f"/runs/{run.pk}/policies/add", {"text": CALLER, "name": "c"}, follow=True
    ).content.decode()
    assert "Can be played" in shown
    assert not Change.objects.exists()
    pending = PendingImport.objects.get()
    refused = client.post(f"/imports/{pending.pk}", {"item": "0", "name-0": "c", "reason": " "})
    assert refused.status_code == 422
    assert "Say why" in refused.content.decode()
    sent = {"item": "0", "name-0": "c", "reason": "from a colleague"}
    page = client.post(f"/imports/{pending.pk}", sent, follow=True).content.decode()
    change = Change.objects.get()
    assert f'href="/changes/{change.pk}"' in page
    assert (change.source, change.origin, change.name) == (CALLER, Origin.IMPORTED, "c")
    assert change.provenance["how"] == "pasted"
    client.post(f"/imports/{pending.pk}", sent)
    assert Change.objects.count() == 1, "committed once, however often it is sent"


def test_of_several_each_has_its_own_outcome(client: Client, run: Run) -> None:
    member = run.policies.exclude(source="").first()
    data = zipped(
        ("caller.py", CALLER.encode()),
        ("raiser.py", RAISER.encode()),
        ("broken.py", b"class Policy:\n  def\n"),
        ("there.py", member.source.encode()),
        ("notes.txt", b"x"),
    )
    page = upload(client, run, "some.zip", data)
    pending = PendingImport.objects.get()
    page = client.get(page.url).content.decode()
    for told in ("Cannot be played", "There already", "it is no .py file"):
        assert told in page
    sent = {"item": ["0", "1", "3"], "name-0": "one", "name-1": "one", "reason": "r"}
    answer = client.post(f"/imports/{pending.pk}", sent)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Another policy of this run is named" in page
    assert "This is the same program as" in page
    assert Change.objects.get().provenance["file"] == "some.zip"
    assert Change.objects.get().provenance["member"] == "caller.py"
    again = {"item": "1", "name-1": "two", "reason": "r"}
    assert client.post(f"/imports/{pending.pk}", again).status_code == 302
    assert {change.name for change in Change.objects.all()} == {"one", "two"}


@pytest.mark.parametrize(
    ("name", "data", "status", "told"),
    [
        ("a.py", b"\xff\xfex\x00", 422, "UTF-16"),
        ("a.py", b"", 422, "empty"),
        ("a.py", zipped(("b.py", GOOD)), 422, "called .py but holds a zip"),
        ("a.zip", b"PK\x03\x04" + b"\x00" * 90, 422, "damaged or cut off"),
        ("a.py", b"x" * (17 * 2**20), 413, "at most 16 MB"),
        ("../../<b>.py", b"\xff", 422, "not UTF-8"),
    ],
)
def test_a_hostile_upload_is_refused_with_words(
    name: str, data: bytes, status: int, told: str, client: Client, run: Run
) -> None:
    answer = upload(client, run, name, data)
    page = answer.content.decode()
    assert answer.status_code == status
    assert told in page
    assert "<b>" not in page
    assert not PendingImport.objects.exists()


def test_a_request_far_beyond_the_limit_is_not_even_read(
    client: Client, run: Run, monkeypatch: Any
) -> None:
    monkeypatch.setattr(uploads, "FAR_TOO_LARGE", 1000)
    answer = upload(client, run, "a.py", b"# x\n" * 1000)
    assert answer.status_code == 413


def test_an_upload_touches_no_disk(client: Client, run: Run, monkeypatch: Any) -> None:
    import tempfile

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("a temporary file was made")

    monkeypatch.setattr(tempfile, "NamedTemporaryFile", refuse)
    assert upload(client, run, "a.py", b"# x\n" * 900_000).status_code == 422
    assert upload(client, run, "b.py", CALLER.encode()).status_code == 302
    item = PendingImport.objects.get().items[0]
    assert (item["text"], item["name"]) == (CALLER, "b")


def own_bundle() -> bytes:
    chosen = made.programs("leduc")
    signer = Signer(signing.public_key(), signing.sign)
    return write_bundle(made.facts(chosen), made.members(chosen, game="leduc"), signer)


def test_a_bundle_says_whose_key_signed_it_and_is_believed_in_nothing_else(
    client: Client, run: Run, settings: Any, tmp_path: Any
) -> None:
    settings.SIGNING_KEY_FILE = str(tmp_path / "key.pem")
    own = client.get(upload(client, run, "b.zip", own_bundle()).url).content.decode()
    assert "intact, and signed with this installation" in own
    strange = made.small_bundle(by=2)
    other = client.get(upload(client, run, "b.zip", strange).url).content.decode()
    assert "a key that nobody here has vouched for" in other
    key = made.signer(2).public_key.hex()
    given = client.get(upload(client, run, "b.zip", strange, key=key).url).content.decode()
    assert "signed with the key that was given" in given
    wrong = upload(client, run, "b.zip", strange, key=made.signer(3).public_key.hex())
    assert wrong.status_code == 422
    assert "not with the one given" in wrong.content.decode()
    changed = strange.replace(b"Read me.\n", b"Read it.\n")
    page = client.get(upload(client, run, "b.zip", changed).url).content.decode()
    assert "not as it was signed" in page
    item = PendingImport.objects.order_by("pk")[1].items[0]
    assert item["provenance"]["signature"] == "other"
    assert set(item) <= {*("name", "text", "accepted", "reason", "line", "sha256", "provenance")}


def test_members_of_other_runs_are_taken_where_the_person_may_see_them(
    client: Client, run: Run
) -> None:
    seen = builders.make_run(game="leduc", name="seen")
    mine = builders.add_policy(seen, CALLER, name="caller")
    hidden = builders.make_run(game="leduc", name="concealed")
    Run.objects.filter(pk=hidden.pk).update(team=Team.objects.create(name="others"))
    secret = builders.add_policy(hidden, RAISER, name="secret")
    page = client.get(f"/runs/{run.pk}/policies/add?from={seen.pk}").content.decode()
    assert "caller" in page
    assert "concealed" not in page
    sent = {"way": "run", "policy": [mine.pk, secret.pk]}
    client.post(f"/runs/{run.pk}/policies/add", sent)
    (item,) = PendingImport.objects.get().items
    assert item["provenance"]["policy"] == mine.pk
    client.post(f"/imports/{PendingImport.objects.get().pk}", {"item": "0", "reason": "r"})
    assert Change.objects.get().parent == mine
    other_game = builders.add_policy(builders.make_run(), CALLER, name="rps")
    answer = client.post(f"/runs/{run.pk}/policies/add", {"way": "run", "policy": other_game.pk})
    assert "plays another game" in answer.content.decode()


def test_of_more_policies_than_are_taken_at_once_the_others_are_named(
    client: Client, run: Run
) -> None:
    other = builders.make_run(game="leduc", name="large")
    chosen = [
        builders.add_policy(other, f"{CALLER}\n# {n}\n", name=f"member {n}").pk
        for n in range(MOST_PROGRAMS + 2)
    ]
    url = client.post(f"/runs/{run.pk}/policies/add", {"way": "run", "policy": chosen}).url
    pending = PendingImport.objects.get()
    assert len(pending.items) == MOST_PROGRAMS
    left_out = [one["name"] for one in pending.left_out]
    assert left_out == [f"member {MOST_PROGRAMS}", f"member {MOST_PROGRAMS + 1}"]
    assert "at most 50 programs are taken at once" in client.get(url).content.decode()


def test_a_colleague_may_look_at_what_was_brought_and_a_viewer_may_not(
    client: Client, run: Run, as_role: Callable[[str], Client]
) -> None:
    url = upload(client, run, "a.py", CALLER.encode()).url
    page = as_role(Role.OPERATOR).get(url).content.decode()
    assert "by <bdi>reviewer</bdi>" in page
    assert as_role(Role.VIEWER).get(url).status_code == 403


def test_text_of_what_was_brought_is_inert(client: Client, run: Run) -> None:
    attack = "# <script>alert(1)</script>\u202e\n" + CALLER
    data = zipped(("<img src=x>.py", attack.encode()), ("\u202egnp.py", CALLER.encode()))
    page = client.get(upload(client, run, "<i>.zip", data).url).content.decode()
    for markup in ("<script>alert", "<img src=x", "<i>.zip", "\u202e"):
        assert markup not in page


def test_io_is_not_named_by_the_sender(client: Client, run: Run) -> None:
    file = io.BytesIO(CALLER.encode())
    file.name = "/etc/passwd.py"
    client.post(f"/runs/{run.pk}/policies/add", {"way": "upload", "file": file})
    assert PendingImport.objects.get().origin["file"] == "passwd.py"


def test_a_teams_program_is_shown_to_others_only_when_the_person_says_so_and_that_is_recorded(
    client: Client, run: Run, person: Callable[[str], Any]
) -> None:
    closed = launch()
    closed.team = Team.objects.create(name="Treasury")
    closed.save()
    person(Role.REVIEWER).teams.add(closed.team)
    policy = builders.add_policy(closed, CALLER, name="secret sauce", origin=Origin.IMPORTED)
    disguised = CALLER.replace("class", "# plain\nclass", 1)
    for number, brought in enumerate(
        ({"way": "run", "policy": str(policy.pk)}, {"text": disguised, "name": "mine"})
    ):
        page = client.post(f"/runs/{run.pk}/policies/add", brought, follow=True)
        text = page.content.decode()
        assert "Seen by the team Treasury alone" in text
        assert "would be seen by everybody who can sign in here" in text
        address = page.redirect_chain[-1][0]
        sent = {"item": "0", "name-0": f"n{number}", "reason": "to compare"}
        refused = client.post(address, sent)
        assert refused.status_code == 422
        assert "What you ticked would be shown to everybody" in refused.content.decode()
        assert Change.objects.count() == 0
        if number:
            break
    sent["may_be_shown"] = "1"
    assert client.post(address, sent).status_code == 302
    exposed = Change.objects.get().provenance["exposed"]
    assert exposed == {
        "of_run": closed.pk,
        "of_policy": policy.pk,
        "seen_by": "Treasury",
        "shown_to": "everybody who can sign in here",
    }
    event = AuditEvent.objects.get(action="policy.imported")
    assert event.detail["exposed"] == exposed


def test_what_the_same_team_or_everybody_sees_already_asks_for_nothing(
    client: Client, run: Run, person: Callable[[str], Any]
) -> None:
    team = Team.objects.create(name="Treasury")
    closed, theirs = launch(), launch()
    Run.objects.filter(pk__in=[closed.pk, theirs.pk]).update(team=team)
    person(Role.REVIEWER).teams.add(team)
    policy = builders.add_policy(closed, CALLER, name="secret sauce", origin=Origin.IMPORTED)
    taken = {"way": "run", "policy": str(policy.pk)}
    page = client.post(f"/runs/{theirs.pk}/policies/add", taken, follow=True)
    assert "would be seen by" not in page.content.decode()
    builders.add_policy(builders.make_run(game="leduc"), CALLER, name="known to all")
    page = client.post(f"/runs/{run.pk}/policies/add", {"text": CALLER}, follow=True)
    assert "would be seen by" not in page.content.decode()
    builders.add_policy(closed, RAISER, name="another", origin=Origin.IMPORTED)
    person(Role.REVIEWER).teams.clear()
    page = client.post(f"/runs/{run.pk}/policies/add", {"text": RAISER}, follow=True)
    assert "Treasury" not in page.content.decode(), "outsiders learn of nothing"
