"""Bringing whole policies into a run: text, files, bundles, members of other runs.

What was brought is shown to its person first and then committed like an edit: checked anew and
played anew. Nothing that a bundle says about results, approvals or names is believed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from csro_web import signing
from csro_web.accounts.models import User
from csro_web.bundles.envelope import MANIFEST, SIGNATURE
from csro_web.bundles.reading import Bundle, BundleError, read_bundle
from csro_web.changes import fingerprints, pruning, services
from csro_web.changes.archives import (
    MOST_PROGRAMS,
    TOO_MANY,
    Brought,
    NotAccepted,
    looks_like_zip,
    read_file,
)
from csro_web.changes.edit_models import BroughtProgram, PendingImport
from csro_web.policies.models import Origin, Policy
from csro_web.runs.models import Run
from oracles.handwritten import judge
from oracles.text import one_line, storable

ANOTHER_RUN = "another run"
"""How members of other runs are brought, in the words of the page."""
SIGNED = {
    "own": "intact, and signed with this installation's key",
    "given": "intact, and signed with the key that was given",
    "other": "intact, but signed with a key that nobody here has vouched for",
    "changed": "not as it was signed: treat it as any stranger's archive",
}


def paste(*, run: Run, person: User, text: str, name: str = "") -> PendingImport:
    """Begin an import of a pasted program.

    Raises:
        NotAccepted: when there is none.
    """
    if not text.strip():
        raise NotAccepted("Paste a program first.")
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    brought = Brought(name or "pasted program", text, digest)
    return _begin(run, person, {"how": "pasted"}, [_item(brought, {"how": "pasted"}, name)], [])


def upload(*, run: Run, person: User, file_name: str, data: bytes, key: str = "") -> PendingImport:
    """Begin an import of an uploaded ``.py`` file, zip or exported bundle.

    ``key`` is the public key (64 hex digits) that must have signed a bundle; empty: none is asked.

    Raises:
        NotAccepted: when nothing of the file is taken; the message says why and what to do.
    """
    about: dict[str, Any] = {
        "how": "uploaded",
        "file": file_name[:200],
        "file_sha256": hashlib.sha256(data).hexdigest(),
    }
    wanted = _key(key)
    contents = read_file(file_name, data)
    left_out = [{"name": one.name, "why": one.why} for one in contents.left_out]
    if looks_like_zip(data) and _seems_bundle(left_out):
        try:
            bundle = read_bundle(data)
        except BundleError as error:
            about |= {"signature": "changed", "signature_words": str(error)[:500]}
        else:
            about |= _signature(bundle, wanted)
            surplus = _surplus([one.member for one in bundle.policies])
            return _begin(run, person, about, _bundled(bundle, about), surplus)
    elif wanted is not None:
        raise NotAccepted("A public key was given, but the file is no exported bundle.")
    items = [_item(one, {**about, "member": one.name}) for one in contents.programs]
    return _begin(run, person, about, items, left_out)


def from_policies(*, run: Run, person: User, policies: Sequence[Policy]) -> PendingImport:
    """Begin an import of members of other runs, which the caller has found visible to the person.

    Raises:
        NotAccepted: when none is chosen, or one plays another game.
    """
    if not policies:
        raise NotAccepted("Choose at least one policy.")
    items = []
    for policy in policies[:MOST_PROGRAMS]:
        if policy.run.game != run.game:
            raise NotAccepted(f"{policy.name} plays another game than this run.")
        about = {"how": ANOTHER_RUN, "run": policy.run_id, "policy": policy.pk}
        brought = Brought(policy.name, policy.source, policy.sha256)
        items.append(_item(brought, about, policy.name))
    about = {"how": ANOTHER_RUN, "run": policies[0].run_id}
    return _begin(run, person, about, items, _surplus([policy.name for policy in policies]))


def commit(
    *,
    pending: PendingImport,
    person: User,
    chosen: Mapping[int, str],
    reason: str,
    shown: Mapping[int, Mapping[str, Any]] | None = None,
) -> int:
    """Commit the chosen items, each under the name that it is given, one change each; how many.

    ``shown``: by the item's number, to whom the person said that it may be shown (recorded).

    What became of each is kept with it: a refusal of one stops none of the others, and an item
    that was committed before is not committed again.

    Raises:
        NotAccepted: when nothing is chosen, no reason is given, or the import has lain too long.
    """
    if (until := pruning.kept_until(pending)) is not None and until <= timezone.now():
        raise NotAccepted("This import has lain for too long. Bring the programs again.")
    if not chosen:
        raise NotAccepted("Choose at least one program.")
    if not reason.strip():
        raise NotAccepted(
            "Say why, in a sentence: whoever looks at these policies later asks that."
        )
    made = 0
    for number, name in sorted(chosen.items()):
        if not 0 <= number < len(pending.items) or pending.items[number].get("change"):
            continue
        item = pending.items[number]
        try:
            change = services.commit(
                run=pending.run,
                person=person,
                source=item["text"],
                reason=reason,
                name=name,
                origin=Origin.IMPORTED,
                parent=_parent(item),
                provenance={
                    **item["provenance"],
                    "import": pending.pk,
                    **({"exposed": dict(shown[number])} if shown and number in shown else {}),
                },
            )
        except services.ChangeError as error:
            outcome: dict[str, Any] = {
                "refused": str(error),
                "in_the_way": error.policy.pk if error.policy else None,
            }
        else:
            made += 1
            outcome = {"change": change.pk, "refused": "", "in_the_way": None}
        _keep(pending, number, {**outcome, "name": name})
    return made


def _keep(pending: PendingImport, number: int, outcome: Mapping[str, Any]) -> None:
    """Write what became of one item; others may have been written meanwhile."""
    with transaction.atomic():
        row = PendingImport.objects.select_for_update().get(pk=pending.pk)
        items = list(row.items)
        items[number] = {**items[number], **storable(dict(outcome))}
        PendingImport.objects.filter(pk=pending.pk).update(items=items)
    pending.items = items


def _parent(item: Mapping[str, Any]) -> Policy | None:
    """The member of another run that it was, if it still is there."""
    key = item["provenance"].get("policy")
    return Policy.objects.filter(pk=key).first() if key else None


def _begin(
    run: Run,
    person: User,
    about: Mapping[str, Any],
    items: list[dict[str, Any]],
    left_out: list[dict[str, str]],
) -> PendingImport:
    why = services.why_unchangeable(run)
    if why:
        raise NotAccepted(why)
    if not items and not left_out:
        raise NotAccepted("There is no program in it.")
    with transaction.atomic():
        pending = PendingImport.objects.create(
            run=run,
            person=person,
            origin=storable(dict(about)),
            items=storable(items),
            left_out=storable(left_out),
        )
        if about["how"] != ANOTHER_RUN:
            _note_programs(pending)
    return pending


def _note_programs(pending: PendingImport) -> None:
    """So that its person is known as who brought them, whoever commits them and from where."""
    programs = {one["sha256"]: one["text"] for one in pending.items if one["sha256"]}
    fingerprints.remember(programs)
    BroughtProgram.objects.bulk_create(
        BroughtProgram(
            pending=pending, person=pending.person, created_at=pending.created_at, sha256=one
        )
        for one in programs
    )


def _item(brought: Brought, about: Mapping[str, Any], name: str = "") -> dict[str, Any]:
    found = judge(brought.text)
    return {
        "name": one_line(name or _stem(brought.name)),
        "text": brought.text,
        "accepted": found.accepted,
        "reason": found.reason,
        "line": found.line,
        "sha256": found.sha256,
        "provenance": {**about, "sha256_as_brought": brought.sha256},
    }


def _stem(name: str) -> str:
    """A name to begin with: the last part of a member's, without its ending."""
    return name.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".py")


def _seems_bundle(left_out: Sequence[Mapping[str, str]]) -> bool:
    return {MANIFEST, SIGNATURE} <= {one["name"] for one in left_out}


def _bundled(bundle: Bundle, about: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        _item(
            Brought(one.member, one.source, one.sha256),
            {**about, "member": one.member, "index_in_bundle": one.index},
            one.name,
        )
        for one in bundle.policies[:MOST_PROGRAMS]
    ]


def _surplus(names: Sequence[str]) -> list[dict[str, str]]:
    """Those that are too many, as things that were left out: nothing is dropped without a word."""
    return [{"name": name, "why": TOO_MANY} for name in names[MOST_PROGRAMS:]]


def _signature(bundle: Bundle, wanted: bytes | None) -> dict[str, str]:
    if bundle.public_key == signing.public_key():
        state = "own"
    elif wanted is not None and bundle.public_key == wanted:
        state = "given"
    else:
        state = "other"
    if wanted is not None and bundle.public_key != wanted:
        raise NotAccepted(
            f"The bundle was signed with the key {bundle.fingerprint}, not with the one given"
            f" ({signing.fingerprint(wanted)})."
        )
    return {"signature": state, "signature_words": SIGNED[state], "key": bundle.fingerprint}


def _key(text: str) -> bytes | None:
    digits = "".join(text.split())
    if not digits:
        return None
    try:
        key = bytes.fromhex(digits)
    except ValueError:
        key = b""
    if len(key) != 32:
        raise NotAccepted("A public key is 64 hexadecimal digits.")
    return key
