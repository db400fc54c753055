"""After the engine changed, old matches are found, named and not played as if they were new."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.urls import reverse

from csro_web.accounts.models import Role
from csro_web.bundles.reading import read_bundle
from csro_web.bundles.replaying import replay
from csro_web.cli import verify as command
from csro_web.cli.errors import CommandFailure
from csro_web.exports.models import Export
from csro_web.runs.models import Run
from csro_web.runs.worker import Worker
from games.match import ENGINE_VERSION
from tests.exports.test_pages import client_of
from tests.exports.test_verify import verify

NEWER = f"{ENGINE_VERSION}0"


def raise_engine(patch: pytest.MonkeyPatch) -> None:
    for module in (
        "games.match",
        "csro_web.approvals.conditions",
        "csro_web.bundles.replaying",
        "csro_web.exports.making",
        "csro_web.runs.match_views",
    ):
        patch.setattr(f"{module}.ENGINE_VERSION", NEWER)


@pytest.mark.django_db
def test_an_old_run_is_exported_and_replayed_after_the_engine_changed(
    run: Run, made: Callable[..., Export], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raise_engine(monkeypatch)
    cell = run.cells.select_related("match").get(row=1, column=0)
    page = client_of(Role.OPERATOR).get(reverse("match", args=[cell.match_id])).content.decode()
    assert f"it is {NEWER} now" in page

    data = bytes(made(draft=True).file.data)
    manifest = read_bundle(data).manifest
    own = [one for one in manifest["evaluations"] if one["subject"] != "exported_mixture"]
    assert own
    assert all(row["match"] for scores in own for row in scores["opponents"])
    keys = {match["key"]: match["engine_version"] for match in manifest["matches"]}
    assert keys[cell.match.key] == ENGINE_VERSION
    newer = sum(version == NEWER for version in keys.values())
    assert 0 < newer < len(keys)

    # The command is of the engine that played the run; the export's own scores are newer.
    (tmp_path / "b.zip").write_bytes(data)
    done = verify(tmp_path, "b.zip", "--replay", "--sample", "3", "--json", "a.json")
    assert done.returncode == 0, done.stderr
    assert f"{newer} of its {len(keys)} matches were played by version {NEWER}" in done.stdout
    answer = json.loads((tmp_path / "a.json").read_text())["replay"]
    assert answer["other_engines"] == {NEWER: newer}
    assert (answer["played"], answer["findings"]) == (3, [])


@pytest.mark.django_db
def test_a_bundle_of_another_engine_alone_is_computed_anew_and_not_called_replayed(
    run: Run,
    made: Callable[..., Export],
    worker: Worker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = bytes(made(draft=True).file.data)
    raise_engine(monkeypatch)
    found = replay(read_bundle(data), worker.engine())
    assert (found.played, found.findings) == (0, ())
    assert found.other_engines == {ENGINE_VERSION: found.matches}
    assert found.figures > 100
    (tmp_path / "b.zip").write_bytes(data)
    with pytest.raises(CommandFailure, match="they were not played again") as refused:
        command.main("csro verify", [str(tmp_path / "b.zip"), "--replay"])
    assert f"by version {ENGINE_VERSION} of the engine and this is {NEWER}" in str(refused.value)
