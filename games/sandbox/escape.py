"""The escape test that every jail passes before it is used: real attempts, in a real child."""

from __future__ import annotations

import tempfile
from pathlib import Path

from games.match import SandboxLevel
from games.sandbox.jail.attempts import ATTEMPTS, FULL_ONLY
from games.sandbox.process import JailNotLocked
from games.sandbox.values import Job, Limits, PolicyFault
from games.sandbox.zygote import Zygote, ZygoteDied

_VIEW = (Path(__file__).parent / "jail" / "attempts.py").read_text()

_POLICY = '''
import math, random, statistics, collections, dataclasses
import numpy as np

class Policy:
    """An ordinary policy: what it needs must work."""

    def act(self, obs):
        draws = np.random.default_rng(1).normal(size=8)
        return int(np.linalg.norm(draws) > 0 and math.isfinite(statistics.mean(draws.tolist())))
'''


def check(zygote: Zygote, level: SandboxLevel) -> None:
    """Raises ZygoteDied, naming what got out, unless every attempt fails and NumPy works."""
    names = [*ATTEMPTS, *FULL_ONLY] if level is SandboxLevel.FULL else list(ATTEMPTS)
    with tempfile.NamedTemporaryFile(prefix="csro-canary-") as canary:
        Path(canary.name).chmod(0o644)
        canary.write(b"canary")
        canary.flush()
        job = Job(
            source=_POLICY,
            view_source=_VIEW,
            setup={"canary": canary.name, "attempts": names},
            num_episodes=1,
            seed=0,
            limits=Limits(),
        )
        try:
            with zygote.spawn(job) as process:
                if process.start().failed:
                    raise ZygoteDied(f"a policy with NumPy does not start: {process.report()}")
                process.send(b"", len(names) + 1)
                works, *got_out = memoryview(process.receive()).cast("i").tolist()
        except (PolicyFault, JailNotLocked) as error:
            raise ZygoteDied(f"the escape test did not end: {error}") from error
    if works != 1:
        raise ZygoteDied("a policy with NumPy does not compute inside the jail")
    escapes = [name for name, out in zip(names, got_out, strict=True) if out]
    if escapes:
        raise ZygoteDied(f"the escape test got out: a policy can {', '.join(escapes)}")
