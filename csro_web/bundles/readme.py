"""The README.txt of a bundle: what it is, how it is used and checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csro_web.bundles.package import DRAFT_WORDS


def readme(facts: Mapping[str, Any]) -> str:
    """ASCII text; it repeats nothing that a person or model wrote."""
    package, game = facts["package"], facts["game"]["name"]
    included = [row for row in facts["population"] if row["included"]]
    (first, *_) = [row["member"].rpartition("/")[2].removesuffix(".py") for row in included]
    draft = f"{DRAFT_WORDS}\n\n" if facts["draft"] else ""
    return f"""{draft}Policies for {game}, from run {facts["run"]["number"]} of CSRO.

{package}/        a Python package; it needs nothing beyond Python 3.11 and NumPy
report.html       what was found out about the policies, to be read and printed
manifest.json     the same as data: hashes, results with seeds, where each policy comes from,
                  what reviewers asked and decided
signature.json    an Ed25519 signature of manifest.json, which lists the hash of every other file
evidence/         programs of opponents that are no part of the package (where there are any);
                  they are here so that matches can be played again, not to be used

To use it, put this archive or its unpacked directory on Python's path:

    import sys
    sys.path.insert(0, "THIS-FILE.zip")
    from {package} import Mixture
    from {package}.policies.{first} import Policy

    player = Mixture(player=0, num_players=2, seed=1)   # one instance, one seed per episode
    action = player.act(obs)                            # obs as the policies met it in CSRO

The programs run as ordinary Python code here, without a sandbox. Read them first.

To check it, offline, with the public key that you got from whoever made it (not from here):

    ./csro verify THIS-FILE.zip --key KEY
    ./csro verify THIS-FILE.zip --key KEY --replay

The first compares every byte with what was signed. The second also plays the matches again and
computes the numbers anew. Do not unpack and pack it again: any other archive is refused.
"""
