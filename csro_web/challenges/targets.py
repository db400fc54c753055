"""Who can be challenged: a policy, a reference bot, or the final mixture of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from csro_web.accounts.models import Team
from csro_web.challenges.models import LONGEST_TITLE
from csro_web.policies.models import Policy
from csro_web.policies.players import player_of
from csro_web.runs.models import Run
from games.players import BotPlayer, CodePlayer
from oracles.mixture import support, support_weights
from oracles.text import storable

LONGEST_NAME = 120
"""Of an opponent in a run's configuration."""


class NoTarget(Exception):
    """There is nothing to challenge; the message says why and what would do."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """``opponents``: what ``RunConfig.challenge`` takes."""

    key: str
    title: str
    game: str
    params: Mapping[str, Any]
    opponents: tuple[dict[str, Any], ...]
    policy: Policy | None = None
    run: Run | None = None
    team: Team | None = None
    """Whose target it is, and so whose challenge."""
    words: str = field(default="policy")


def of_policy(policy: Policy) -> Target:
    return Target(
        key=player_of(policy).key,
        title=policy.name[:LONGEST_TITLE],
        game=policy.run.game,
        params=policy.run.config.get("params") or {},
        opponents=(_opponent(policy),),
        policy=policy,
        team=policy.run.team,
    )


def of_run(run: Run) -> Target:
    """
    Raises:
        NoTarget: when the run has no final mixture (yet).
    """
    if run.final_sigma is None:
        raise NoTarget(f"{run} has no final mixture to challenge: let it finish first")
    members = {policy.index: policy for policy in run.policies.all()}
    chosen = zip(support(run.final_sigma), support_weights(run.final_sigma), strict=True)
    return Target(
        key=f"run:{run.pk}",
        title=f"final mixture of {run}"[:LONGEST_TITLE],
        game=run.game,
        params=run.config.get("params") or {},
        opponents=tuple({**_opponent(members[index]), "weight": w} for index, w in chosen),
        run=run,
        team=run.team,
        words="mixture",
    )


def of_player(text: str, player: CodePlayer | BotPlayer, game: str, params: Any) -> Target:
    """A player that a person named at the terminal, in his words."""
    name = storable(text)[-LONGEST_NAME:]  # a file's name need not be text
    if isinstance(player, BotPlayer):
        opponent = {"name": player.name, "bot": player.name}
    else:
        opponent = {"name": name, "source": player.source}
    return Target(key=player.key, title=name, game=game, params=params, opponents=(opponent,))


def _opponent(policy: Policy) -> dict[str, Any]:
    what = {"source": policy.source} if policy.source else {"bot": policy.name}
    return {"name": policy.name, "policy": policy.pk, **what}
