"""What approvals rest on is replayed, and every seed is proved by a key of the installation."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.utils import timezone

from csro_web import signing
from csro_web.accounts.models import User
from csro_web.approvals import decisions, reevaluations
from csro_web.approvals.decisions import DecisionRefused
from csro_web.approvals.models import Reevaluation
from csro_web.audit.models import AuditEvent
from csro_web.bundles.reading import read_bundle
from csro_web.bundles.reevaluations import compare_attempts
from csro_web.exports.models import Export
from csro_web.jobs import services as jobs
from csro_web.jobs import work
from csro_web.policies.models import Policy
from csro_web.runs.models import Run
from csro_web.runs.worker import Worker
from oracles import config
from tests.approvals.conftest import with_result
from tests.exports.conftest import remember
from tests.exports.test_verify import findings_of, resigned, unproved_of, verify

pytestmark = pytest.mark.django_db
Make = Callable[..., Export]


@pytest.fixture
def approved(
    run: Run, worker: Worker, approver: User, played: Any, monkeypatch: pytest.MonkeyPatch
) -> Policy:
    """The run's last policy, re-evaluated by a real worker and approved on that."""
    monkeypatch.setitem(config._GAME_DEFAULTS["rrps"], "evaluation_episodes", 1)
    policy: Policy = run.policies.order_by("-index").first()
    asked = reevaluations.ask(policy=policy, person=None)
    assert work.perform(asked.job_id, worker) is work.Outcome.SAVED
    remember(played)
    decisions.approve(
        policy=policy, person=approver, seen_sha256=policy.sha256, statement="I read it."
    )
    return policy


def figures(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of all numbers and truth values in a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in items:
        if isinstance(part, (dict, list)):
            yield from figures(part, (*path, key))
        elif isinstance(part, (int, float)):
            yield (*path, key)


def changed(value: Any, path: tuple[Any, ...]) -> Any:
    made = copy.deepcopy(value)
    *before, last = path
    place = made
    for key in before:
        place = place[key]
    old = place[last]
    place[last] = not old if isinstance(old, bool) else old + (1 if isinstance(old, int) else 0.01)
    return made


def test_every_figure_of_a_re_evaluation_that_is_changed_is_found(
    approved: Policy, made: Make, worker: Worker
) -> None:
    data = bytes(made().file.data)
    assert findings_of(data, worker) == []
    bundle = read_bundle(data)
    sources = {one.sha256: one.source for one in (*bundle.policies, *bundle.evidence)}
    matches = {row["key"]: row for row in bundle.manifest["matches"]}
    (attempt,) = bundle.manifest["record"][0]["reevaluations"]
    places = [path for path in figures(attempt["found"]) if path[-1] != "policy"]
    assert len(places) > 43 * 4
    for path in places:
        manifest = copy.deepcopy(dict(bundle.manifest))
        manifest["record"][0]["reevaluations"][0]["found"] = changed(attempt["found"], path)
        try:
            compared = compare_attempts(manifest, matches, sources)
        except (KeyError, ValueError, TypeError):
            continue  # replay refuses such a manifest as one that cannot be used
        assert compared.findings, path
        assert all(str(one).startswith("re-evaluation") for one in compared.findings)


@pytest.mark.parametrize(
    ("lie", "words"),
    [
        (lambda a: a.update(faults={"exception": 3}), "its own faults"),
        (lambda a: a["found"].update(words="All claims hold."), "words"),
        (lambda a: a.update(sandbox_level="process"), "sandbox_level"),
        (lambda a: a["found"]["opponents"].pop(), "made_for"),
        (lambda a: a["found"]["claims"][0].update(verdict="holds better"), "verdict"),
        (lambda a: a.update(found=None), "called approved"),
        (lambda a: a.update(number=a["number"] + 1), "called approved"),
    ],
)
def test_lies_about_it_that_are_no_single_number_are_found(
    approved: Policy, made: Make, worker: Worker, lie: Callable[[Any], Any], words: str
) -> None:
    data = bytes(made().file.data)

    def change(facts: dict[str, Any]) -> None:
        lie(facts["record"][0]["reevaluations"][0])

    found = findings_of(resigned(data, change), worker)
    assert any(words in one for one in found), found


def test_matches_that_were_left_out_are_missed_where_an_approval_rests_on_them(
    approved: Policy, made: Make, worker: Worker
) -> None:
    data = bytes(made().file.data)
    bundle = read_bundle(data)
    used = {cell["match"] for cell in bundle.manifest["cells"]} | {
        one["match"] for scores in bundle.manifest["evaluations"] for one in scores["opponents"]
    }

    def leave_out(facts: dict[str, Any]) -> None:
        facts["matches"] = [row for row in facts["matches"] if row["key"] in used]

    (found,) = findings_of(resigned(data, leave_out), worker)
    assert "an approval rests on it and its matches are not in the bundle" in found


def test_after_a_rotation_old_proofs_are_checked_in_an_empty_directory_and_strangers_refused(
    approved: Policy, made: Make, tmp_path: Path
) -> None:
    old = signing.public_key()
    before = bytes(made().file.data)
    call_command("rotate_signing_key")
    new = signing.public_key()
    assert new != old
    assert AuditEvent.objects.filter(action="key.rotated").count() == 1
    data = bytes(made().file.data)
    place = tmp_path / "empty"
    place.mkdir()
    (place / "b.zip").write_bytes(data)
    (place / "before.zip").write_bytes(before)
    done = verify(place, "b.zip", "--key", new.hex(), "--json", "a.json")
    assert done.returncode == 0, done.stderr
    assert f"proved with the former key {signing.fingerprint(old)}, in force until" in done.stdout
    (proof,) = json.loads((place / "a.json").read_text())["proofs"]
    assert proof["proved"]
    assert (proof["fingerprint"], proof["since"]) == (signing.fingerprint(old), None)
    done = verify(place, "before.zip", "--key", old.hex())
    assert done.returncode == 0, done.stderr
    assert "proved with the same key" in done.stdout

    def forget(facts: dict[str, Any]) -> None:
        del facts["signing_keys"][0]

    def too_early(facts: dict[str, Any]) -> None:
        for row, part in zip(facts["signing_keys"], ("until", "since"), strict=True):
            row[part] = "2020-01-01T00:00:00+00:00"

    def at_the_end(facts: dict[str, Any]) -> None:
        facts["signing_keys"].reverse()

    for lie, words in [
        (forget, "which is none of this installation's"),
        (too_early, "at a time that was not its own"),
        (at_the_end, "the last of them is not the key in force that signed the bundle"),
    ]:
        assert any(words in one for one in unproved_of(resigned(data, lie)))
    (place / "b.zip").write_bytes(resigned(data, forget))
    done = verify(place, "b.zip")
    assert done.returncode == 1
    assert "none of this installation's" in done.stderr


def test_a_proof_of_another_program_is_refused_though_its_signature_is_genuine(
    run: Run, approved: Policy, made: Make
) -> None:
    """Whoever may choose among the proofs of many programs chooses a seed."""
    other = reevaluations.ask(policy=run.policies.get(index=0), person=None)
    jobs.cancel(other.job)
    data = bytes(made().file.data)

    def borrow(facts: dict[str, Any]) -> None:
        facts["record"][0]["reevaluations"][0].update(
            seed=other.seed,
            fingerprint=other.program,
            proof={"signature": other.signature, "public_key": other.public_key},
        )

    assert any("drawn for another program" in one for one in unproved_of(resigned(data, borrow)))


def test_no_approval_rests_on_a_seed_that_no_key_of_this_installation_drew(
    run: Run, approver: User, settings: Any, tmp_path: Path
) -> None:
    policy: Policy = run.policies.get(index=0)
    settings.SIGNING_KEY_FILE = str(tmp_path / "elsewhere" / "stranger.pem")
    with_result(policy)
    settings.SIGNING_KEY_FILE = str(tmp_path / "signing-key.pem")
    with pytest.raises(DecisionRefused, match="not drawn for this program by a key of this"):
        decisions.approve(
            policy=policy, person=approver, seen_sha256=policy.sha256, statement="I read it."
        )
    stranger = Reevaluation.objects.get().public_key
    with pytest.raises(CommandError, match="go together"):
        call_command("signing_key", former=stranger)
    until = timezone.now().isoformat()
    call_command("signing_key", former=stranger, until=until)
    assert next(key.public_key.hex() for key in signing.known_keys()) == stranger
    with pytest.raises(CommandError, match="known already"):
        call_command("signing_key", former=stranger, until=until)
    decisions.approve(
        policy=policy, person=approver, seen_sha256=policy.sha256, statement="I read it."
    )


def test_a_rotation_that_broke_off_changes_nothing_and_is_finished_by_the_next(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, now = signing.public_key(), timezone.now()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr("csro_web.signing.os.replace", full)
        with pytest.raises(ImproperlyConfigured, match="No space left"):
            signing.rotate(now)
    assert [key.public_key for key in signing.known_keys()] == [old]
    first = signing.rotate(now + timedelta(hours=1))
    second = signing.rotate(now + timedelta(hours=2))
    keys = signing.known_keys()
    assert [key.public_key for key in keys] == [old, first.public_key, second.public_key]
    assert [key.until for key in keys] == [
        now + timedelta(hours=1),
        now + timedelta(hours=2),
        None,
    ]
