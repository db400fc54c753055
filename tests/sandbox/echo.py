"""A tiny view for tests: one byte a decision, which the policy finds as ``obs["byte"]``."""

from __future__ import annotations

from typing import Any

from games.sandbox import Job, Limits

VIEW = """
class View:
    def __init__(self, setup):
        self.episodes = setup["episodes"]

    def start(self, construct):
        game = {"name": "echo"}
        self.acts = [construct(i, i % 2, 2, game, 100 + i) for i in range(self.episodes)]

    def run(self, message, reply):
        for i, act in enumerate(self.acts):
            if act is None:
                reply[i] = -3
                continue
            obs = {"legal_actions": [0, 1, 2], "byte": message[i]}
            try:
                answer = act(obs)
                legal = type(answer) is int and 0 <= answer <= 2
                reply[i] = answer if legal else -1
            except Exception:
                record_fault(i)
                reply[i] = -2


make_view = View
"""

QUICK = Limits(construct_seconds=0.2, decision_seconds=0.02, idle_seconds=0.3)


def echo_job(source: str, episodes: int = 2, **changes: Any) -> Job:
    """A job for ``source`` in the echo view, import guard off, with short limits."""
    fields: dict[str, Any] = {
        "source": source,
        "view_source": VIEW,
        "setup": {"episodes": episodes},
        "num_episodes": episodes,
        "seed": 7,
        "limits": QUICK,
        "num_actions": 3,
        "guard_imports": False,
    }
    return Job(**{**fields, **changes})
