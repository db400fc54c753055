"""A trained network as an ordinary policy: Python source that plays in the sandbox."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from games.base import Game

_ROOM = Path(__file__).parent
_LINE = 90
_HEADER = '''"""A black box: a recurrent network trained by reinforcement learning (PSRO-IMPALA).

It was trained on {frames:,} of its own decisions in {title}.
What it does is in {weights:,} weights at the end of this file, which nobody can read: it can be
measured, but not audited, and so it cannot be approved.
"""
'''


_IMPORTS = """from __future__ import annotations

import random
from typing import Any

import numpy as np
"""


def program(game: Game, numbers: NDArray[np.float32], *, hidden: int, frames: int) -> str:
    """The source of a policy that plays by the network with these weights, rounded to float16."""
    observer = _text(_ROOM / "observers" / f"{game.name}.py")
    player = _text(_ROOM / "player.py")
    header = _HEADER.format(frames=frames, title=game.title, weights=len(numbers))
    weights = base85(numbers)
    lines = [weights[start : start + _LINE] for start in range(0, len(weights), _LINE)]
    quoted = "\n".join(f'    "{line}"' for line in lines)
    return (
        f"{header}\n{_IMPORTS}\n\n{observer}\n\n\n{player}\n\n\n"
        f"WEIGHTS = (\n{quoted}\n)\n\n\n"
        "class Policy(NetworkPolicy):\n"
        f"    network = Network(decoded(WEIGHTS), FEATURES, {hidden}, 3)\n"
    )


def base85(numbers: NDArray[np.float32]) -> str:
    """Float16 numbers, two to four bytes, as base85; an odd one is followed by a zero."""
    padded = np.append(numbers, np.zeros(len(numbers) % 2, dtype=np.float32))
    return base64.b85encode(padded.astype("<f2").tobytes()).decode("ascii")


def _text(path: Path) -> str:
    """What a self-contained module does, without its docstring and imports."""
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    last = max(i for i, line in enumerate(lines) if line.startswith(("import ", "from ")))
    body = "\n".join(lines[last + 1 :]).strip()
    return re.sub(r"  # (?:type: ignore|noqa).*", "", body)
