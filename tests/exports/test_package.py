"""The package of a bundle in a plain Python process, in an empty directory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from csro_web.bundles.package import Program, UnfitSource, package_members
from csro_web.bundles.reading import read_bundle
from csro_web.bundles.runtime import mixture as runtime
from csro_web.exports.models import Export
from csro_web.runs.models import Run
from games.match import MatchSpec
from games.players import BotPlayer, CodePlayer
from games.replay import record_match
from games.seeds import Stream, episode_seed
from tests.bundles import made as small

ROOT = Path(__file__).resolve().parents[2]


def plain_python(code: str, directory: Path, *arguments: str) -> Any:
    """What the code prints as JSON. It has the standard library and NumPy; nothing of ours."""
    import numpy

    environment = {"PATH": "/usr/bin:/bin", "HOME": str(directory)}
    numpy_home = str(Path(numpy.__file__).parents[1])
    preamble = (
        "import importlib.abc, sys\n"
        "class Nothing(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('games', 'oracles', 'csro_web', 'django', 'scipy'):\n"
        "            raise ImportError('not here: ' + name)\n"
        "sys.meta_path.insert(0, Nothing())\n"
        f"sys.path.append({numpy_home!r})\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", preamble + code, *arguments],
        cwd=directory,
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert os.listdir(directory) == ["bundle.zip"]  # it left nothing
    return json.loads(done.stdout)


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    directory = tmp_path / "empty"
    directory.mkdir()
    return directory


DRAWS = """
import json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, "bundle.zip")
import PACKAGE as package
drawn = [package.Mixture(0, 2, package.GAME, seed).module for seed in range(20000)]
print(json.dumps([package.COMPONENTS, drawn]))
"""


@pytest.mark.django_db
def test_the_mixture_draws_its_policies_as_often_as_their_weights_say(
    run: Run, made: Callable[..., Export], empty: Path
) -> None:
    export = made(draft=True)
    (empty / "bundle.zip").write_bytes(bytes(export.file.data))
    bundle = read_bundle(bytes(export.file.data))
    code = DRAWS.replace("PACKAGE", str(bundle.manifest["package"]))
    components, drawn = plain_python(code, empty)
    weights = bundle.manifest["mixture"]["exported"]["weights"]
    assert [weight for _, _, weight in components] == weights
    counts = Counter(drawn)
    for module, _, weight in components:
        share, spread = counts[module] / len(drawn), (weight * (1 - weight) / len(drawn)) ** 0.5
        assert abs(share - weight) <= 4.5 * spread, (module, share, weight)


DECISIONS = """
import importlib, json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, "bundle.zip")
package = importlib.import_module(sys.argv[1])
module = importlib.import_module(sys.argv[1] + ".policies." + sys.argv[2])
answers = []
for seed, own, other in json.loads(sys.argv[3]):
    player = package.mixture.construct(module.Policy, 0, 2, package.GAME, seed)
    mine, theirs, score = [], [], 0
    obs = {"player": 0, "throw": 0, "num_throws": len(own), "legal_actions": [0, 1, 2],
           "action_names": ["Rock", "Paper", "Scissors"], "my_actions": mine,
           "opponent_actions": theirs, "my_score": 0}
    played = []
    for throw in range(len(own)):
        obs["throw"], obs["my_score"] = throw, score
        played.append(int(player.act(obs)))
        mine.append(own[throw])
        theirs.append(other[throw])
        score += (0, 1, -1)[(own[throw] - other[throw]) % 3]
    answers.append(played)
print(json.dumps(answers))
"""


@pytest.mark.django_db
def test_every_policy_decides_as_it_did_in_the_engine(
    run: Run, made: Callable[..., Export], worker: Any, empty: Path
) -> None:
    export = made(draft=True)
    (empty / "bundle.zip").write_bytes(bytes(export.file.data))
    bundle = read_bundle(bytes(export.file.data))
    for policy in bundle.policies:
        spec = MatchSpec(
            game="rrps", a=CodePlayer(policy.source), b=BotPlayer("switchbot"), episodes=2, seed=99
        )
        recording = record_match(worker.engine(), spec)
        assert recording.result.a.total == 0
        episodes = [
            [
                episode_seed(spec.seed, episode.index, Stream.PLAYER_A),
                episode.moves["throws"],
                episode.moves["opponent_throws"],
            ]
            for episode in recording.episodes
        ]
        module = policy.member.rpartition("/")[2].removesuffix(".py")
        package = str(bundle.manifest["package"])
        answers = plain_python(DECISIONS, empty, package, module, json.dumps(episodes))
        assert answers == [own for _, own, _ in episodes], policy.name


HOSTILE = [
    *("../../etc/passwd", "..", ".", "", "con", "NUL", "aux.txt", "a/b\\c", "import", "class"),
    *("\u0430pproved", "\u202egnp.exe", "x" * 5000, "\0", "a\nb", '"""; import os'),
    *("é", "\U0001f600", "PRN", "policy", "Policy", "__init__", "-", "ﬁ", "\ud800"),
]


def test_hostile_names_become_safe_unique_modules_that_python_imports(tmp_path: Path) -> None:
    programs = [
        Program(index, name, "class Policy:\n    def act(self, obs):\n        return 0\n")
        for index, name in enumerate(HOSTILE)
    ]
    weights = [1 / len(programs)] * len(programs)
    members = package_members("csro_export_x", programs, weights, game={}, about="A.", draft=False)
    facts = small.facts(programs, "csro_export_x")
    data = small.write_bundle(facts, members, small.signer())
    assert len(read_bundle(data).policies) == len(HOSTILE)
    for program in programs:
        assert program.module.isidentifier()
        assert program.module.isascii()
        assert len(program.module) < 50
    directory = tmp_path / "empty"
    directory.mkdir()
    (directory / "bundle.zip").write_bytes(data)
    code = DRAWS.replace("PACKAGE", "csro_export_x").replace("20000", "200")
    components, _ = plain_python(code, directory)
    assert [name for _, name, _ in components] == HOSTILE


def test_a_name_that_looks_like_another_is_not_taken_for_it() -> None:
    assert Program(1, "\u0430pproved", "").module == "p001_pproved"  # a Cyrillic letter
    assert Program(1, "approved", "").module == "p001_approved"


@pytest.mark.parametrize("first", ["# -*- coding: latin-1 -*-\n", "# vim: fileencoding=cp1252\n"])
def test_a_program_that_a_file_would_read_otherwise_is_refused(first: str) -> None:
    """The engine compiles a text; a file with such a line is decoded by it."""
    source = first + 'class Policy:\n    def act(self, obs):\n        return len("é") - 1\n'
    with pytest.raises(UnfitSource, match="says that it is written in"):
        _ = Program(0, "x", source).content


def test_the_package_that_stands_for_none_says_so() -> None:
    with pytest.raises(ValueError, match="holds no mixture"):
        runtime.Mixture(0, 2, {}, 1)
