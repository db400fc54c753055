"""``./csro verify``: whether a bundle is what was signed. It needs no database and no settings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from csro_web.cli.arguments import add_json, parser, whole_number
from csro_web.cli.errors import CommandFailure, WrongUsage, one_line
from csro_web.cli.files import read_bytes
from csro_web.cli.output import STDOUT, Progress, check_target, say, write_json
from oracles.text import quoted

if TYPE_CHECKING:
    from csro_web.bundles.reading import Bundle
    from csro_web.bundles.replaying import Replay
    from csro_web.bundles.verifying import Finding

_HEX = re.compile("[0-9a-fA-F]{64}")
_LARGEST_KEY = 10_000


def main(name: str, argv: Sequence[str]) -> int:
    arguments = parser(
        name,
        "Whether a bundle is byte for byte what was signed, and, with --replay, whether its "
        "numbers come out again.",
    )
    arguments.add_argument("file", metavar="FILE", help="the archive that ./csro export made")
    arguments.add_argument(
        "--key",
        metavar="PUBLIC_KEY",
        help="of whoever must have signed it: 64 hex digits, or a file that holds them",
    )
    arguments.add_argument(
        "--replay", action="store_true", help="play its matches again and compare every figure"
    )
    arguments.add_argument(
        "--sample",
        type=whole_number(1, 1_000_000),
        metavar="N",
        help="with --replay: play only N of the matches, drawn at random",
    )
    add_json(arguments)
    given = arguments.parse_args(argv)
    if given.sample is not None and not given.replay:
        arguments.error("argument --sample: it goes with --replay")
    check_target(given.json)
    key = None if given.key is None else _read_key(given.key)
    answer, failure = _verify(given.file, key, replaying=given.replay, sample=given.sample)
    if given.json != STDOUT and not failure:
        print("\n".join(quoted(line) for line in _in_words(given.file, answer)))
    if given.json:
        write_json(given.json, answer)
    if failure:
        raise CommandFailure(quoted(failure))
    return 0


def _read_key(text: str) -> bytes:
    """The key itself, or that in the file of this name (PEM too)."""
    if _HEX.fullmatch(text):
        return bytes.fromhex(text)
    if not Path(text).exists():
        raise WrongUsage(f"--key {text[:80]} is neither 64 hex digits nor a file")
    content = read_bytes(text, largest=_LARGEST_KEY)
    found = _HEX.search(content.decode("ascii", "replace"))
    if b"BEGIN PUBLIC KEY" in content:
        return _from_pem(text, content)
    if found is None:
        raise WrongUsage(f"--key {text[:80]}: the file holds no public key (64 hex digits)")
    return bytes.fromhex(found[0])


def _from_pem(name: str, content: bytes) -> bytes:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(content)
    except (ValueError, UnsupportedAlgorithm):
        raise WrongUsage(f"--key {name[:80]}: this is no public key") from None
    if not isinstance(key, Ed25519PublicKey):
        raise WrongUsage(f"--key {name[:80]}: this is no Ed25519 key")
    return key.public_bytes_raw()


def _verify(
    name: str, key: bytes | None, *, replaying: bool, sample: int | None
) -> tuple[dict[str, Any], str]:
    """The answer, and in a line what is wrong (empty: nothing)."""
    from csro_web.bundles.ed25519 import fingerprint
    from csro_web.bundles.reading import BundleError, read_bundle
    from csro_web.bundles.verifying import LARGEST_FILE, examine, signer_finding

    data = read_bytes(name, largest=LARGEST_FILE)
    examination = examine(data)
    envelope, findings = examination.envelope, list(examination.findings)
    answer: dict[str, Any] = {
        "file": name,
        "intact": examination.intact,
        "trusted": None,
        "signed_by": None,
        "findings": _rows(findings),
        "proofs": [],
        "replay": None,
    }
    if envelope is not None:
        public = envelope.public_key
        answer["signed_by"] = {"public_key": public.hex(), "fingerprint": fingerprint(public)}
    if envelope is None or findings:
        return answer, f"{name} is not as it was signed: {_listed(findings)}"
    if key is not None:
        stranger = signer_finding(envelope, [key])
        answer["trusted"] = stranger is None
        if stranger is not None:
            answer["findings"] = _rows([stranger])
            return answer, f"{name} is intact, but: {stranger}"
    try:
        bundle = read_bundle(data)
        answer.update(_about(bundle, len(envelope.entries)))
        answer["proofs"], wrong = _proofs(bundle)
        if wrong:
            answer["findings"] = _rows(wrong)
            return answer, f"{name} is as it was signed, but: {_listed(wrong)}"
        if replaying:
            found = _replay(bundle, sample)
            answer["replay"] = _replay_row(found)
            if found.findings:
                return answer, f"{name}: other numbers when replayed: {_listed(found.findings)}"
            if found.other_engines and not found.played:
                return answer, f"{name} is as it was signed, but {_not_played(answer['replay'])}"
    except (BundleError, KeyError, TypeError, ValueError, AttributeError) as error:
        return answer, f"{name} is as it was signed, but cannot be used: {one_line(error)}"
    return answer, ""


def _about(bundle: Bundle, members: int) -> dict[str, Any]:
    manifest = bundle.manifest
    return {
        "draft": bundle.is_draft,
        "members": members,
        "package": str(manifest["package"]),
        "game": str(manifest["game"]["name"]),
        "run": manifest["run"]["number"],
        "made_at": str(manifest["made_at"]),
        "sandbox_level": manifest["sandbox_level"],
        "policies": [
            {
                "index": one.index,
                "sha256": one.sha256,
                "member": one.member,
                "approved": one.approved,
            }
            for one in bundle.policies
        ],
    }


def _proofs(bundle: Bundle) -> tuple[list[dict[str, Any]], list[Finding]]:
    """Which key proved the seed of each re-evaluation, and what is wrong with that."""
    from csro_web.bundles.proofs import proofs_of, unproved

    rows = [
        {
            "policy": proof.index,
            "reevaluation": proof.number,
            "fingerprint": None if proof.key is None else proof.key.fingerprint,
            "since": None if proof.key is None else proof.key.row()["since"],
            "until": None if proof.key is None else proof.key.row()["until"],
            "proved": not proof.wrong,
        }
        for proof in proofs_of(bundle)
    ]
    return rows, list(unproved(bundle))


def _replay(bundle: Bundle, sample: int | None) -> Replay:
    from csro_web.bundles.replaying import replay
    from csro_web.cli.play import open_engine, prepare
    from games.registry import get_game

    game = bundle.manifest["game"]
    total = len(bundle.manifest["matches"])
    bots = {
        one.get("bot", "") for row in bundle.manifest["matches"] for one in (row["a"], row["b"])
    }
    prepare(get_game(game["name"], game["params"]), bots)
    with open_engine() as engine:
        stated, here = bundle.manifest["sandbox_level"], str(engine.level)
        if stated is not None and stated != here:
            say(f"the matches were played at sandbox level {stated}; this machine plays at {here}")
        with Progress("matches", min(total, sample or total)) as progress:
            return replay(bundle, engine, sample=sample, on_result=progress.advance)


def _replay_row(found: Replay) -> dict[str, Any]:
    from games.match import ENGINE_VERSION

    return {
        "matches": found.matches,
        "played": found.played,
        "figures": found.figures,
        "sandbox_level": str(found.sandbox_level),
        "unrepeatable": list(found.unrepeatable),
        "engine_version": ENGINE_VERSION,
        "other_engines": dict(found.other_engines),
        "unchecked": list(found.unchecked),
        "findings": _rows(found.findings),
    }


def _not_played(row: dict[str, Any]) -> str:
    """Matches of other engines, and what is known of them all the same."""
    count = sum(row["other_engines"].values())
    versions = one_line(", ".join(sorted(row["other_engines"])))
    return (
        f"{count} of its {row['matches']} matches were played by version {versions} of the engine "
        f"and this is {row['engine_version']}, which gives other numbers: they were not played "
        "again. Their figures follow from their payoffs. Replay them with that version"
    )


def _rows(findings: Sequence[Finding]) -> list[dict[str, str]]:
    return [{"where": finding.where, "what": finding.what} for finding in findings]


def _listed(findings: Sequence[Finding], most: int = 3) -> str:
    words = "; ".join(str(finding) for finding in findings[:most])
    return words + (f"; and {len(findings) - most} more" if len(findings) > most else "")


def _in_words(name: str, answer: dict[str, Any]) -> list[str]:
    signer = answer["signed_by"]["fingerprint"]
    lines = [f"{name}: every byte of its {answer['members']} members is as it was signed"]
    if answer["trusted"]:
        lines.append(f"signed with the given key ({signer})")
    else:
        lines.append(
            f"signed with the key {signer} that it holds itself. That shows that nothing was "
            "changed since, not who signed: get the key from them and give it with --key"
        )
    if answer["draft"]:
        lines.append("DRAFT: nobody approved all of it")
    approved = sum(policy["approved"] for policy in answer["policies"])
    count = len(answer["policies"])
    lines.append(
        f"{count} {'policy' if count == 1 else 'policies'} ({approved} approved) for "
        f"{answer['game']}, from run "
        f"{answer['run']}, made {answer['made_at']}"
    )
    for key, until in dict.fromkeys((one["fingerprint"], one["until"]) for one in answer["proofs"]):
        count = sum(one["fingerprint"] == key for one in answer["proofs"])
        which = "the same key" if until is None else f"the former key {key}, in force until {until}"
        seeds = "seed of 1 re-evaluation" if count == 1 else f"seeds of {count} re-evaluations"
        lines.append(f"{seeds} proved with {which}")
    if found := answer["replay"]:
        lines.append(
            f"replay: {found['played']} of {found['matches']} matches played again at sandbox "
            f"level {found['sandbox_level']}, {found['figures']} figures computed anew: all agree"
        )
        if found["unrepeatable"]:
            lines.append(
                f"except {len(found['unrepeatable'])} matches that gave other numbers because a "
                "time limit decided something in them: they prove nothing either way"
            )
        if found["other_engines"]:
            lines.append(_not_played(found))
        if found["unchecked"]:
            lines.append(
                f"not replayed, for want of their matches: {', '.join(found['unchecked'])}"
            )
    return lines
