"""``./csro export`` where there is nothing to export, and the key that it prints."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.command import complaint, csro


def test_the_public_key_is_printed_and_stays_the_same(tmp_path: Path) -> None:
    place = {"CSRO_DATA_DIR": str(tmp_path / "data")}
    done = csro("export", "--public-key", **place)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch("[0-9a-f]{64}\n", done.stdout)
    assert re.search("fingerprint [0-9a-f]{16};", done.stderr)
    again = csro("manage", "signing_key", **place)
    assert again.stdout == done.stdout
    key_file = tmp_path / "data" / "signing-key.pem"
    assert key_file.stat().st_mode & 0o077 == 0
    assert key_file.read_text() not in done.stdout + done.stderr


def test_wrong_usage_and_missing_things_are_explained_in_a_line(tmp_path: Path) -> None:
    place = {"CSRO_DATA_DIR": str(tmp_path / "data")}
    out = tmp_path / "bundle.zip"
    for arguments, code, words in [
        (["export", "1"], 2, "--out FILE"),
        (["export", "x", "--out", out], 2, "neither a run"),
        (["export", "7", "--out", tmp_path / "no" / "where.zip"], 1, "there is no directory"),
        (["export", "7", "--out", out], 1, "there is no run 7"),
        (["export", "policy:12", "--out", out], 1, "there is no policy 12"),
    ]:
        done = csro(*arguments, **place)
        assert done.returncode == code, (arguments, done.stderr)
        assert words in complaint(done)
    assert not out.exists()
