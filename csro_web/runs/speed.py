"""How fast this installation has played lately."""

from __future__ import annotations

from django.conf import settings

from csro_web.runs.models import Match

MATCHES = 40
"""The last matches of a game that its speed is measured on."""
LEAST_SECONDS = 1.0
"""Of play; what was measured for less says nothing."""


def decisions_per_second(game: str) -> float | None:
    """Decisions per second of one worker process with all of its engine's processes at work.

    None while too little of the game has been played here. 1 query.
    """
    results = Match.objects.filter(game=game).order_by("-pk").values_list("result", flat=True)
    known = [(one["decisions"], one["seconds"]) for one in results[:MATCHES]]
    seconds = sum(spent for _, spent in known)
    if seconds < LEAST_SECONDS:
        return None
    return sum(decisions for decisions, _ in known) / seconds * settings.ENGINE_WORKERS
