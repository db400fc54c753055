"""Who may see the run: a team of the person who launches it, or everybody."""

from __future__ import annotations

from django import forms

from csro_web.accounts.models import Team
from csro_web.accounts.ownership import Somebody, teams_to_launch_for
from csro_web.pages.choices import NamedChoiceField
from csro_web.runs.forms.group import FieldGroup

TEAM = "team"


def _make() -> dict[str, forms.Field]:
    return {
        TEAM: NamedChoiceField(
            Team.objects.none(),
            label="Who may see it",
            required=False,
            empty_label="Everybody who can sign in here",
            help_text="The people of a team, and administrators; or everybody.",
        )
    }


def offer(field: forms.Field, person: Somebody) -> None:
    """The teams that ``person`` may launch for; the only one is chosen already."""
    assert isinstance(field, NamedChoiceField)
    field.queryset = teams_to_launch_for(person)
    own = list(person.teams.all()[:2]) if person.is_authenticated else []
    field.initial = own[0].pk if len(own) == 1 else None


GROUP = FieldGroup(name="audience", title="For whom", make=_make, folded=False)
