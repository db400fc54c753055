"""Whether the seeds of re-evaluations are those that their programs must get."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from csro_web.bundles.ed25519 import is_signed
from csro_web.bundles.verifying import Finding
from oracles.reevaluation import seed_from_signature, seed_message


def unproved_seeds(manifest: Mapping[str, Any]) -> Iterator[Finding]:
    """Re-evaluations whose seed does not follow from the signature of game and program.

    Such a seed could have been chosen until the result pleased.
    """
    game = manifest["game"]
    for record in manifest["record"]:
        for attempt in record["reevaluations"]:
            proof = attempt["proof"]
            signature = bytes.fromhex(proof["signature"])
            message = seed_message(
                game=game["name"], params=game["params"], program=attempt["fingerprint"]
            )
            where = f"re-evaluation {attempt['number']} of policy {record['index']}"
            if not is_signed(bytes.fromhex(proof["public_key"]), message, signature):
                yield Finding(where, "the proof of its seed is no signature of this program")
            elif seed_from_signature(signature) != attempt["seed"]:
                yield Finding(where, "its seed does not follow from its proof")
