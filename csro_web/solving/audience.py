"""``--team``: whose runs the terminal launches."""

from __future__ import annotations

import argparse

from csro_web.accounts.models import Team
from csro_web.cli.errors import WrongUsage


def add_team_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--team",
        metavar="SLUG",
        help="whose run it is, by the team's short name; without it everybody who can sign in"
        " sees it",
    )


def team_named(slug: str | None) -> Team | None:
    """
    Raises:
        WrongUsage: when there is no such team; it names those that there are.
    """
    if not slug:
        return None
    team = Team.objects.filter(slug=slug).first()
    if team is None:
        known = ", ".join(Team.objects.values_list("slug", flat=True)[:20]) or "none yet"
        raise WrongUsage(f"there is no team {slug!r}; teams are: {known} (page /teams)")
    return team
