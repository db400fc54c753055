"""What an export holds, and that it is what the run and its reviewers say."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

import numpy as np
import pytest

from csro_web import signing
from csro_web.accounts.models import User
from csro_web.audit.actions import Action
from csro_web.audit.heads import checked_head
from csro_web.audit.models import AuditEvent
from csro_web.bundles.reading import Bundle, read_bundle
from csro_web.exports import services
from csro_web.exports.choosing import ExportRefused
from csro_web.exports.models import Export
from csro_web.policies.models import Policy
from csro_web.runs.models import Match, Run
from games.metagame import exploitability, payoff_matrix, solve

pytestmark = pytest.mark.django_db
Made = Callable[..., Export]
Approve = Callable[[Policy], None]


def bundle_of(export: Export) -> Bundle:
    return read_bundle(bytes(export.file.data), keys=[signing.public_key()])


def matrix_of(run: Run) -> np.ndarray:
    cells = {(cell.row, cell.column): cell.mean for cell in run.cells.all()}
    return payoff_matrix(run.policies.count(), cells)


def test_nothing_approved_is_refused_with_what_is_missing(run: Run) -> None:
    with pytest.raises(ExportRefused, match=r"no policy of run \d+ is approved; 4 could be.*draft"):
        services.ask(run=run, policy=None, draft=False, person=None)
    policy = run.policies.get(index=0)
    with pytest.raises(ExportRefused, match=r"not approved \(unreviewed\).*draft"):
        services.ask(run=run, policy=policy, draft=False, person=None)
    assert not Export.objects.exists()


def test_the_mixture_is_solved_anew_over_the_approved_and_the_cost_is_said(
    run: Run, approve: Approve, made: Made
) -> None:
    kept = [0, 2]
    for index in kept:
        approve(run.policies.get(index=index))
    bundle = bundle_of(made())
    assert bundle.trusted
    assert not bundle.is_draft
    assert [policy.index for policy in bundle.policies] == kept
    assert all(policy.approved for policy in bundle.policies)
    matrix = matrix_of(run)
    full = solve("nash", matrix)
    small = solve("nash", matrix[np.ix_(kept, kept)])
    weights = np.zeros(len(matrix))
    weights[kept] = small
    mixture = bundle.manifest["mixture"]
    assert mixture["full"]["weights"] == pytest.approx(full.tolist())
    assert mixture["exported"]["weights"] == pytest.approx(weights.tolist())
    before, after = (mixture["cost"][f"exploitability_{when}"] for when in ("before", "after"))
    assert before["mean"] == pytest.approx(exploitability(matrix, full), abs=1e-6)
    assert after["mean"] == pytest.approx(exploitability(matrix, weights), abs=1e-6)
    assert after["mean"] > before["mean"]
    for cost in (before, after):
        assert cost["low"] <= cost["mean"] <= cost["high"]


def test_the_manifest_says_where_everything_comes_from(
    run: Run, approve: Approve, made: Made
) -> None:
    best = run.policies.get(index=3)
    approve(best)
    manifest = bundle_of(made()).manifest
    (provenance,) = manifest["provenance"]
    candidate = best.candidate
    assert candidate is not None
    proposal = provenance["proposals"][-1]
    assert proposal["messages"] == candidate.messages
    assert proposal["program_sha256"] == best.sha256
    assert (
        proposal["completion_sha256"] == hashlib.sha256(candidate.completion.encode()).hexdigest()
    )
    (record,) = manifest["record"]
    assert record["approvals"][0]["approver"] == "grace"
    assert record["approvals"][0]["program_sha256"] == best.sha256
    assert record["transitions"][-1]["after"] == "approved"
    assert record["reevaluations"][0]["proof"]["signature"]
    head = checked_head(manifest["audit_head"], key=signing.public_key())
    assert head.sequence < AuditEvent.objects.get(action=Action.EXPORT_ASKED).sequence
    assert manifest["sandbox_level"] in ("full", "kernel", "process")
    assert manifest["run"]["config"]["seed"] == 11
    keys = {match["key"] for match in manifest["matches"]}
    assert keys <= set(Match.objects.values_list("key", flat=True))
    assert {cell["match"] for cell in manifest["cells"]} <= keys
    for scores in manifest["evaluations"]:
        assert all(one["match"] in keys for one in scores["opponents"]), scores["subject"]


def test_what_is_handed_over_is_scored_on_seeds_of_its_own(
    run: Run, approve: Approve, made: Made
) -> None:
    approve(run.policies.get(index=0))
    scores = {one["subject"]: one for one in bundle_of(made()).manifest["evaluations"]}
    own, whole = scores["exported_mixture"], scores["final_mixture"]
    assert len(own["opponents"]) == len(whole["opponents"]) == 43
    assert not {one["seed"] for one in own["opponents"]} & {o["seed"] for o in whole["opponents"]}


def test_a_draft_takes_all_programs_and_says_so_everywhere(run: Run, made: Made) -> None:
    export = made(draft=True)
    assert export.name.endswith("-DRAFT.zip")
    bundle = bundle_of(export)
    assert bundle.is_draft
    assert len(bundle.policies) == 4
    package = bundle.manifest["package"]
    assert package.startswith("csro_draft_")
    assert bundle.members[f"{package}/__init__.py"].startswith(b'"""DRAFT: nobody approved')
    report = bundle.members["report.html"].decode()
    assert '<div class="watermark"' in report
    assert "DRAFT: Policies of run" in report
    assert bundle.members["README.txt"].startswith(b"DRAFT")


def test_what_is_approved_is_never_marked_as_a_draft(
    run: Run, approve: Approve, made: Made
) -> None:
    approve(run.policies.get(index=0))
    export = made()
    everything = b"".join(bundle_of(export).members.values())
    assert b'class="watermark"' not in everything
    assert b"DRAFT" not in bundle_of(export).members["README.txt"]


def test_one_policy_is_exported_alone(run: Run, approve: Approve, made: Made) -> None:
    policy = run.policies.get(index=1)
    approve(policy)
    bundle = bundle_of(made(policy=policy))
    assert [one.sha256 for one in bundle.policies] == [policy.sha256]
    assert bundle.policies[0].source == policy.source
    assert bundle.manifest["mixture"]["exported"]["weights"][1] == 1.0


def test_an_approval_that_lapsed_before_the_worker_began_fails_the_export(
    run: Run, approve: Approve, approver: User, worker: object
) -> None:
    from csro_web.approvals import decisions
    from csro_web.jobs import work

    policy = run.policies.get(index=0)
    approve(policy)
    export = services.ask(run=run, policy=None, draft=False, person=None)
    decisions.withdraw_approval(policy=policy, person=approver, reason="found a bug")
    assert work.perform(export.job_id, worker) is work.Outcome.FAILED  # type: ignore[arg-type]
    export.refresh_from_db()
    assert export.made_at is None
    assert export.job is not None
    assert "no policy" in export.job.failure


def test_a_program_that_was_changed_in_the_database_is_not_exported(
    run: Run, approve: Approve
) -> None:
    policy = run.policies.get(index=0)
    approve(policy)
    Policy.objects.filter(pk=policy.pk).update(source=policy.source + "# more\n")
    with pytest.raises(ExportRefused, match="is approved"):
        services.ask(run=run, policy=None, draft=False, person=None)


def test_the_same_order_gives_the_same_bytes(run: Run, approve: Approve, made: Made) -> None:
    from csro_web.exports.choosing import choose
    from csro_web.exports.making import Order, Surroundings, make

    approve(run.policies.get(index=0))
    export = made()
    assert export.job is not None
    inputs = export.job.inputs
    order = Order(inputs["made_at"], None, inputs["audit_head"])

    def no_engine() -> object:
        raise AssertionError("every match was played already")

    again = make(
        choose(run, kind=export.kind, policy=None, draft=False),
        order,
        Surroundings(no_engine, lambda: False, lambda: None, lambda *_: None),  # type: ignore[arg-type]
    )
    assert again.data == bytes(export.file.data)
    assert export.file.sha256 == hashlib.sha256(again.data).hexdigest()


def test_a_run_that_goes_on_has_no_final_mixture_to_export(run: Run, approve: Approve) -> None:
    approve(run.policies.get(index=0))
    Run.objects.filter(pk=run.pk).update(state="running")
    run.refresh_from_db()
    with pytest.raises(ExportRefused, match=r"a change of .* is being played"):
        services.ask(run=run, policy=None, draft=False, person=None)
    Run.objects.filter(pk=run.pk).update(ended_at=None)
    run.refresh_from_db()
    with pytest.raises(ExportRefused, match="still goes on"):
        services.ask(run=run, policy=None, draft=False, person=None)
    policy = run.policies.get(index=0)
    assert services.ask(run=run, policy=policy, draft=False, person=None).pk


def test_an_export_is_in_the_audit_trail_from_asking_to_its_making(
    run: Run, approve: Approve, approver: User, made: Made
) -> None:
    approve(run.policies.get(index=0))
    export = made(person=approver)
    events = AuditEvent.objects.filter(subject_type="exports.export").order_by("sequence")
    assert [event.action for event in events] == [Action.EXPORT_ASKED, Action.EXPORT_MADE]
    assert {event.actor for event in events} == {approver}
    assert events[1].detail["sha256"] == export.file.sha256
    assert json.dumps(export.summary)
