"""A small bundle that needs no database, signed with a key of the test's own."""

from __future__ import annotations

from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from csro_web.bundles.package import Program, package_members, path_of
from csro_web.bundles.writing import Signer, write_bundle
from games.players import source_sha256
from games.registry import get_game

PACKAGE = "csro_export_run_7"


def signer(seed: int = 1) -> Signer:
    key = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
    public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return Signer(public, key.sign)


def programs(game: str = "rrps") -> list[Program]:
    initial = get_game(game).initial_population()
    return [Program(index, one.name, one.source) for index, one in enumerate(initial)]


def facts(chosen: list[Program], package: str = PACKAGE) -> dict[str, Any]:
    return {
        "draft": False,
        "package": package,
        "population": [
            {
                "index": program.index,
                "name": program.name,
                "origin": "initial",
                "sha256": source_sha256(program.source),
                "member": path_of(package, program),
                "approved": True,
                "included": True,
            }
            for program in chosen
        ],
    }


def members(chosen: list[Program], *, game: str = "rrps") -> list[tuple[str, bytes]]:
    weights = [1 / len(chosen)] * len(chosen)
    described = get_game(game).game_dict()
    package = package_members(PACKAGE, chosen, weights, game=described, about="A.", draft=False)
    return [("README.txt", b"Read me.\n"), ("report.html", b"<p>Report\n"), *package]


def small_bundle(*, by: int = 1) -> bytes:
    chosen = programs()
    return write_bundle(facts(chosen), members(chosen), signer(by))
