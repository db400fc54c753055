"""``./csro verify`` as somebody else runs it, and what a replay finds."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from csro_web import signing
from csro_web.bundles.keys import SigningKey
from csro_web.bundles.matches import match_row
from csro_web.bundles.proofs import unproved
from csro_web.bundles.reading import Bundle, BundleError, read_bundle
from csro_web.bundles.replaying import replay
from csro_web.bundles.verifying import signer_finding
from csro_web.bundles.writing import write_bundle
from csro_web.exports.models import Export
from csro_web.runs.models import Run
from csro_web.runs.worker import Worker
from tests.bundles import made as small

ROOT = Path(__file__).resolve().parents[2]
FIELDS_OF_THE_FORMAT = ("format", "members")


def verify(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """In that directory, with a home that does not exist and nothing else in the environment."""
    return subprocess.run(
        [sys.executable, str(ROOT / "csro"), "verify", *arguments],
        cwd=directory,
        env={"CSRO_VENV": sys.prefix, "PATH": "/usr/bin:/bin", "HOME": str(directory / "none")},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


@pytest.fixture
def place(tmp_path: Path) -> Path:
    directory = tmp_path / "empty"
    directory.mkdir()
    (directory / "bundle.zip").write_bytes(small.small_bundle())
    return directory


def complaint(done: subprocess.CompletedProcess[str], code: int) -> str:
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line


def resigned(
    data: bytes, change: Callable[[dict[str, Any]], object], *, by: int = 0, **members: bytes
) -> bytes:
    """The bundle with another manifest, signed by somebody who can: the installation itself (0), or
    another one, which calls the key its own."""
    bundle = read_bundle(data)
    facts = copy.deepcopy(dict(bundle.manifest))
    change(facts)
    kept = {key: value for key, value in facts.items() if key not in FIELDS_OF_THE_FORMAT}
    signer = small.signer(by) if by else signing.signer()
    kept.setdefault("signing_keys", [SigningKey(signer.public_key, None, None).row()])
    if by:
        kept["signing_keys"][-1]["public_key"] = signer.public_key.hex()
    return write_bundle(kept, list({**bundle.members, **members}.items()), signer)


@pytest.mark.django_db
def test_a_bundle_is_verified_and_replayed_in_an_empty_directory(
    run: Run, made: Callable[..., Export], tmp_path: Path
) -> None:
    export = made(draft=True)
    directory = tmp_path / "elsewhere"
    directory.mkdir()
    (directory / "b.zip").write_bytes(bytes(export.file.data))
    key = signing.public_key()
    done = verify(
        directory, "b.zip", "--key", key.hex(), "--replay", "--sample", "5", "--json", "a.json"
    )
    assert done.returncode == 0, done.stderr
    assert f"signed with the given key ({signing.fingerprint(key)})" in done.stdout
    assert "DRAFT" in done.stdout
    answer = json.loads((directory / "a.json").read_text())
    assert answer["trusted"] is True
    assert answer["replay"]["played"] == 5
    assert answer["replay"]["figures"] > 100
    assert answer["replay"]["findings"] == []
    assert sorted(os.listdir(directory)) == ["a.json", "b.zip"]


def test_without_a_key_it_says_that_it_knows_not_who_signed(place: Path) -> None:
    data = resigned((place / "bundle.zip").read_bytes(), with_headings)
    (place / "bundle.zip").write_bytes(data)
    done = verify(place, "bundle.zip")
    assert done.returncode == 0, done.stderr
    assert "not who signed" in done.stdout
    assert os.listdir(place) == ["bundle.zip"]


def with_headings(facts: dict[str, Any]) -> None:
    facts.update(game={"name": "rrps\x1b[31m"}, run={"number": 7}, made_at="\u202e\x07now")
    facts.update(record=[])
    facts["sandbox_level"] = "full"


def test_what_the_bundle_says_cannot_act_on_the_terminal(place: Path) -> None:
    data = resigned((place / "bundle.zip").read_bytes(), with_headings)
    (place / "bundle.zip").write_bytes(data)
    done = verify(place, "bundle.zip")
    assert not {"\x1b", "\u202e", "\x07"} & set(done.stdout + done.stderr)
    assert "\\x1b[31m" in done.stdout


def test_a_changed_byte_ends_with_a_line_that_names_the_member(place: Path) -> None:
    data = bytearray((place / "bundle.zip").read_bytes())
    at = data.index(b"class Policy")
    data[at] ^= 1
    (place / "bundle.zip").write_bytes(bytes(data))
    line = complaint(verify(place, "bundle.zip"), 1)
    assert "not as it was signed: member csro_export_run_7/policies/p000_" in line
    done = verify(place, "bundle.zip", "--json", "-")
    assert done.returncode == 1
    assert json.loads(done.stdout)["intact"] is False


def test_another_signer_than_the_given_one_is_refused(place: Path) -> None:
    theirs, ours = small.signer(1).public_key, small.signer(2).public_key
    line = complaint(verify(place, "bundle.zip", "--key", ours.hex()), 1)
    assert "is intact, but: signature: made with the key" in line
    (place / "key.txt").write_text(f"their key:\n{theirs.hex()}\n")
    right = verify(place, "bundle.zip", "--key", "key.txt", "--json", "-")
    assert json.loads(right.stdout)["trusted"] is True


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["nowhere.zip"], 1, "there is no such file"),
        (["."], 1, "it is a directory"),
        (["bundle.zip", "--key", "12"], 2, "neither 64 hex digits nor a file"),
        (["bundle.zip", "--key", "bundle.zip"], 1, "larger than"),
        (["bundle.zip", "--sample", "3"], 2, "goes with --replay"),
        (["bundle.zip", "--replay", "--sample", "0"], 2, "not between"),
        ([], 2, "required"),
    ],
)
def test_wrong_usage_is_explained_in_a_line(
    place: Path, arguments: list[str], code: int, words: str
) -> None:
    assert words in complaint(verify(place, *arguments), code)


@pytest.mark.django_db
def test_a_policy_that_was_changed_and_signed_anew_is_refused_given_the_right_key(
    run: Run, made: Callable[..., Export]
) -> None:
    data = bytes(made(draft=True).file.data)
    bundle = read_bundle(data)
    member = bundle.policies[0].member
    source = bundle.members[member] + b"# harmless\n"
    with pytest.raises(BundleError, match="not the program that the population lists"):
        read_bundle(resigned(data, lambda facts: None, by=3, **{member: source}))
    import hashlib

    def follow(facts: dict[str, Any]) -> None:
        facts["population"][0]["sha256"] = hashlib.sha256(source).hexdigest()

    forged = read_bundle(
        resigned(data, follow, by=3, **{member: source}), keys=[signing.public_key()]
    )
    assert forged.trusted is False
    from csro_web.bundles.envelope import open_envelope

    envelope = open_envelope(resigned(data, follow, by=3, **{member: source}))
    assert signer_finding(envelope, [signing.public_key()]) is not None


def findings_of(data: bytes, worker: Worker, *, sample: int | None = 1) -> list[str]:
    found = replay(read_bundle(data), worker.engine(), sample=sample)
    return [str(finding) for finding in found.findings]


def plant(name: str) -> Callable[[dict[str, Any]], None]:
    def change(facts: dict[str, Any]) -> None:
        scores = next(o for o in facts["evaluations"] if o["subject"] == "exported_mixture")
        if name == "mixture":
            weights = facts["mixture"]["exported"]["weights"]
            weights[0], weights[1] = weights[0] + 0.01, weights[1] - 0.01
        elif name == "cost":
            facts["mixture"]["cost"]["exploitability_after"]["mean"] -= 1.0
        elif name == "metric":
            scores["agg_score"]["mean"] += 5.0
        elif name == "interval":
            scores["pop_return"]["low"] += 0.5
        elif name == "cell":
            facts["cells"][0]["mean"] += 2.0
        elif name == "seed":
            facts["matches"][0]["seed"] += 1
        elif name == "opponent":
            scores["opponents"][3]["mean"] += 1.0
        elif name == "episodes of a score":
            scores["pop_return"]["episodes"] += 7
        elif name == "episodes of a cost":
            facts["mixture"]["cost"]["payoff_against_full"]["episodes"] += 7
        elif name == "seed of an opponent":
            scores["opponents"][3]["seed"] += 1
        elif name == "another opponent's match":
            swap(*scores["opponents"][3:5], "match", "mean", "low", "high", "seed")
        elif name == "another cell's match":
            swap(*facts["cells"][:2], "match", "mean", "low", "high")
        elif name == "another subject's match":
            best = next(o for o in facts["evaluations"] if o["subject"] == "best_policy")
            best["policy"] = 0 if best["policy"] else 1
        elif name == "level":
            facts["sandbox_level"] = "full" if facts["sandbox_level"] != "full" else "process"
        elif name == "exported members":
            facts["population"][0]["included"] = False

    return change


def swap(one: dict[str, Any], other: dict[str, Any], *keys: str) -> None:
    for key in keys:
        one[key], other[key] = other[key], one[key]


PLANTED = {
    "mixture": "exported mixture, weights of policy 0",
    "cost": "exploitability after, mean",
    "metric": "exported mixture, agg_score, mean",
    "interval": "exported mixture, pop_return, low",
    "cell": "cell 1, 0, mean",
    "seed": "its key is not that of its players, seed and episodes",
    "opponent": "exported mixture against",
    "episodes of a score": "exported mixture, pop_return, episodes",
    "episodes of a cost": "payoff against full, episodes",
    "seed of an opponent": "played",
    "another opponent's match": "its match was played against somebody else",
    "another cell's match": "its match was not played by these two policies",
    "another subject's match": "its match was played by somebody else",
    "level": "sandbox level",
}


@pytest.mark.django_db
def test_a_replay_finds_every_planted_figure_and_names_it(
    run: Run, made: Callable[..., Export], worker: Worker
) -> None:
    data = bytes(made(draft=True).file.data)
    assert findings_of(data, worker, sample=3) == []
    for name, words in PLANTED.items():
        found = findings_of(resigned(data, plant(name)), worker)
        assert any(words in finding for finding in found), (name, found)
    with pytest.raises(BundleError, match="the population says"):
        findings_of(resigned(data, plant("exported members")), worker)


@pytest.mark.django_db
def test_a_seed_that_was_chosen_for_a_re_evaluation_is_found(
    run: Run, made: Callable[..., Export], approve: Callable[[Any], None], worker: Worker
) -> None:
    approve(run.policies.get(index=0))
    data = bytes(made().file.data)
    assert unproved_of(data) == []

    def other_seed(facts: dict[str, Any]) -> None:
        facts["record"][0]["reevaluations"][0]["seed"] += 1

    def other_program(facts: dict[str, Any]) -> None:
        facts["record"][0]["reevaluations"][0]["fingerprint"] = "0" * 64

    for change, words in [(other_seed, "does not follow"), (other_program, "no signature")]:
        (found,) = unproved_of(resigned(data, change))
        assert words in found


def unproved_of(data: bytes) -> list[str]:
    return [str(finding) for finding in unproved(read_bundle(data))]


def with_payoffs(facts: dict[str, Any], at: int, payoffs: list[float], *, sure: bool) -> None:
    """A match whose row is in itself as it should be, with other payoffs."""
    from games.metrics import estimate

    row = facts["matches"][at]
    row.update(payoffs=payoffs, reproducible=sure)
    found = estimate(payoffs)
    row.update(mean=found.mean, low=found.low, high=found.high)


@pytest.mark.django_db
def test_a_payoff_that_was_made_up_is_found_when_all_is_played_again(
    run: Run, made: Callable[..., Export], worker: Worker
) -> None:
    data = bytes(made(draft=True).file.data)
    manifest = read_bundle(data).manifest
    keys = [row["key"] for row in manifest["matches"]]
    cells = [keys.index(cell["match"]) for cell in manifest["cells"]]
    at = next(n for n in cells if len(set(manifest["matches"][n]["payoffs"])) > 1)
    better = [payoff + 1.0 for payoff in manifest["matches"][at]["payoffs"]]
    forged = resigned(data, lambda facts: with_payoffs(facts, at, better, sure=True))
    found = findings_of(forged, worker, sample=None)
    assert any(keys[at][:12] in finding and "when played again" in finding for finding in found)
    turned = list(reversed(manifest["matches"][at]["payoffs"]))
    unsure = resigned(data, lambda facts: with_payoffs(facts, at, turned, sure=False))
    told = replay(read_bundle(unsure), worker.engine())
    assert told.unrepeatable == (keys[at],)
    assert [f for f in told.findings if keys[at][:12] in str(f)] == []


@pytest.mark.django_db
def test_faults_that_were_hidden_are_found_and_older_engines_are_not_accused(
    run: Run, made: Callable[..., Export], worker: Worker
) -> None:
    data = bytes(made(draft=True).file.data)

    def blame(facts: dict[str, Any]) -> None:
        facts["matches"][0]["faults"]["a"] = {"exception": 3}

    (found,) = findings_of(resigned(data, blame), worker, sample=None)
    assert "faults {'a': {'exception': 3}" in found

    def older(facts: dict[str, Any]) -> None:
        facts["matches"][0]["engine_version"] = "0"

    (found,) = findings_of(resigned(data, older), worker)
    assert "its key is not that of its players, seed and episodes" in found


@pytest.mark.django_db
def test_manifests_that_lie_about_their_shape_are_refused_with_a_message(
    run: Run, made: Callable[..., Export], worker: Worker
) -> None:
    data = bytes(made(draft=True).file.data)

    def other(key: str, value: object) -> Bundle:
        return read_bundle(resigned(data, lambda facts: facts.update({key: value})))

    for key, value in [
        *(("matches", [{"a": {}}]), ("matches", 5), ("cells", [{"row": "x"}]), ("mixture", [])),
        ("game", {"name": "chess", "params": {}}),
        *(("evaluations", [{"subject": None}]), ("game", {"name": "rrps", "params": {"x": 1}})),
    ]:
        with pytest.raises((BundleError, ValueError), match=r"\w"):
            replay(other(key, value), worker.engine(), sample=1)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("place_of", "value", "words"),
    [
        (("matches", 0, "a"), 5, "cannot be used"),
        (("game", "name"), "chess", "no game named 'chess'"),
        (("matches", 0, "episodes"), 10**12, "not one payoff for each episode"),
        (("matches", 0, "bound"), 10**400, "cannot be used"),
    ],
)
def test_a_stranger_s_bundle_ends_a_replay_soon_and_in_one_line(
    run: Run, made: Callable[..., Export], tmp_path: Path, place_of: Any, value: Any, words: str
) -> None:
    def lie(facts: dict[str, Any]) -> None:
        *path, last = place_of
        place: Any = facts
        for key in path:
            place = place[key]
        place[last] = value

    data = resigned(bytes(made(draft=True).file.data), lie, by=3)
    (tmp_path / "b.zip").write_bytes(data)
    done = verify(tmp_path, "b.zip", "--replay", "--sample", "1")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Traceback" not in done.stderr
    assert words in done.stderr.splitlines()[-1]


def test_a_match_row_holds_what_its_key_is_made_of() -> None:
    from games.match import MatchResult, MatchSpec, SandboxLevel, SeatReport
    from games.players import BotPlayer

    spec = MatchSpec(game="rrps", a=BotPlayer("rock"), b=BotPlayer("paper"), episodes=2, seed=5)
    result = MatchResult((1.0, 2.0), SeatReport(), SeatReport(), 4, 0.1, SandboxLevel.FULL)
    assert match_row(spec, result)["key"] == spec.key(SandboxLevel.FULL)
