"""Whether the seeds of re-evaluations are those that their programs must get, and by whose key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from csro_web.bundles.ed25519 import fingerprint as key_fingerprint
from csro_web.bundles.ed25519 import is_signed
from csro_web.bundles.keys import SigningKey, wrong_with
from csro_web.bundles.reading import Bundle
from csro_web.bundles.verifying import Finding
from oracles.fingerprint import GRAMMAR, fingerprint
from oracles.reevaluation import seed_from_signature, seed_message


@dataclass(frozen=True)
class Proof:
    """Of one seed. ``key``: which of the installation's keys proved it; None: none of them.
    ``wrong``: why it proves nothing; empty: it does."""

    index: int
    number: int
    key: SigningKey | None
    wrong: str

    @property
    def where(self) -> str:
        return f"re-evaluation {self.number} of policy {self.index}"


def keys_of(bundle: Bundle) -> list[SigningKey]:
    """Those that the installation has used, oldest first, as it says itself."""
    return [SigningKey.from_row(row) for row in bundle.manifest["signing_keys"]]


def proofs_of(bundle: Bundle) -> list[Proof]:
    """Of every re-evaluation in the bundle, also of those without a result.

    A seed must follow from the signature of game and program, made with a key of the installation
    while that was in force. Any other could have been chosen until the result pleased.
    """
    keys = {key.public_key: key for key in keys_of(bundle)}
    sources = {one.index: one.source for one in (*bundle.policies, *bundle.evidence)}
    return [
        _proof(bundle.manifest["game"], record["index"], attempt, keys, sources[record["index"]])
        for record in bundle.manifest["record"]
        for attempt in record["reevaluations"]
    ]


def unproved(bundle: Bundle) -> Iterator[Finding]:
    """Seeds that are not proved, and what is wrong with the list of keys."""
    for words in wrong_with(keys_of(bundle), bundle.public_key):
        yield Finding("signing keys", words)
    for proof in proofs_of(bundle):
        if proof.wrong:
            yield Finding(proof.where, proof.wrong)


def _proof(
    game: Mapping[str, Any],
    index: int,
    attempt: Mapping[str, Any],
    keys: Mapping[bytes, SigningKey],
    source: str,
) -> Proof:
    public = bytes.fromhex(attempt["proof"]["public_key"])
    key = keys.get(public)
    return Proof(index, attempt["number"], key, _wrong(game, attempt, public, key, source))


def _wrong(
    game: Mapping[str, Any],
    attempt: Mapping[str, Any],
    public: bytes,
    key: SigningKey | None,
    source: str,
) -> str:
    signature = bytes.fromhex(attempt["proof"]["signature"])
    message = seed_message(game=game["name"], params=game["params"], program=attempt["fingerprint"])
    if not is_signed(public, message, signature):
        return "the proof of its seed is no signature of this program"
    if seed_from_signature(signature) != attempt["seed"]:
        return "its seed does not follow from its proof"
    if attempt["grammar"] == GRAMMAR and fingerprint(source) != attempt["fingerprint"]:
        return "its seed was drawn for another program than the policy's"
    if key is None:
        stranger = key_fingerprint(public)
        return f"its seed was proved with the key {stranger}, which is none of this installation's"
    if not key.was_in_force(datetime.fromisoformat(attempt["at"])):
        return f"its seed was proved with the key {key.fingerprint} at a time that was not its own"
    return ""
