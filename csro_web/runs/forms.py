"""The launch form: every choice of a run, filled in so that a newcomer only presses Launch."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.forms.boundfield import BoundField

from csro_web.runs.catalogue import game_choices
from csro_web.runs.models import Run
from games.registry import game_names, get_game
from oracles.config import (
    ConfigError,
    ContextMode,
    OpponentChoice,
    OracleName,
    RunConfig,
    SolverName,
    WriterName,
    defaults_for,
)

IN_WORDS = {
    OracleName.ZERO_SHOT: "Zero-shot: one proposal per best response",
    OracleName.LINEAR_REFINEMENT: "Linear refinement: propose, play, improve",
    WriterName.GRAMMAR: "Built in: composes programs, offline",
    WriterName.MANUAL: "People: the prompt waits on a page for an answer",
    WriterName.REPLAY: "Replay: the recorded answers of another run",
    ContextMode.CODE: "their code",
    ContextMode.SUMMARY: "a summary of each",
    ContextMode.NONE: "not at all",
    OpponentChoice.ALL: "all of the population",
    OpponentChoice.SUPPORT: "those in the mixture",
    OpponentChoice.TOP5: "the five heaviest",
    SolverName.NASH: "Nash equilibrium",
    SolverName.UNIFORM: "uniform",
}
PARAMETER_CHOICES = {
    ("leduc", "reveal"): [
        ("showdown", "only at a showdown, as in real poker"),
        ("always", "after every hand, as OpenSpiel shows it"),
    ],
}
LARGEST_SEED = 2**63 - 1


def _choices(enum: Any) -> list[tuple[str, str]]:
    return [(str(member), IN_WORDS.get(member, str(member).replace("_", " "))) for member in enum]


def _whole(low: int, high: int, **more: Any) -> forms.IntegerField:
    return forms.IntegerField(min_value=low, max_value=high, **more)


class LaunchForm(forms.Form):
    """Cleaned data holds ``config``, a :class:`RunConfig`, when everything fits together."""

    template_name = "runs/launch_form.html"

    name = forms.CharField(
        required=False, max_length=120, help_text="Optional; for people to find it again."
    )
    game = forms.ChoiceField(choices=game_choices)
    oracle = forms.ChoiceField(choices=_choices(OracleName))
    writer = forms.ChoiceField(label="Who writes", choices=_choices(WriterName))
    context = forms.ChoiceField(
        label="Opponents are shown to the writer as", choices=_choices(ContextMode)
    )
    opponents = forms.ChoiceField(label="Which opponents", choices=_choices(OpponentChoice))
    iterations = _whole(1, 200, help_text="Best responses to add, 1 to 200.")
    refinements = _whole(
        1, 100, label="Proposals per best response", help_text="M of linear refinement, 1 to 100."
    )
    episodes = _whole(1, 10_000, label="Episodes per pair", required=False)
    evaluation_episodes = _whole(1, 10_000, label="Episodes per held-out opponent", required=False)
    target = forms.FloatField(
        label="Refinement target",
        required=False,
        help_text="Refining stops once the gain against the mixture reaches this.",
    )
    seed = _whole(0, LARGEST_SEED, help_text="The same seed and choices give the same numbers.")
    initial = forms.CharField(
        label="Initial population",
        required=False,
        max_length=2000,
        help_text="Names with spaces between; bot:NAME takes a bot. Empty: the game's own.",
    )
    training_solver = forms.ChoiceField(
        label="Meta-solver of the search", choices=_choices(SolverName)
    )
    evaluation_solver = forms.ChoiceField(
        label="Meta-solver of the final mixture", choices=_choices(SolverName)
    )
    recording = forms.CharField(
        label="Recorded run",
        required=False,
        max_length=200,
        help_text="For the writer replay: the number of the run.",
    )
    allow_faulty = forms.BooleanField(
        label="Let policies with faults join the population", required=False
    )

    MAIN = ("game", "oracle", "writer", "iterations", "seed")
    SIZE = ("episodes", "evaluation_episodes", "refinements", "target")
    CONTEXT = ("context", "opponents", "recording")
    MORE = ("name", "initial", "training_solver", "evaluation_solver", "allow_faulty")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for game in game_names():
            for parameter, default in get_game(game).default_params().items():
                self.fields[parameter_field(game, parameter)] = _parameter(game, parameter, default)
        for name in ("episodes", "evaluation_episodes"):
            told = ", ".join(f"{defaults_for(game)[name]} for {game}" for game in game_names())
            self.fields[name].help_text = f"Empty: the game's own number ({told})."
        for bound in self:
            bound.field.widget.attrs["aria-describedby"] = f"{bound.auto_id}-notes"
            if self.is_bound and bound.errors:
                bound.field.widget.attrs["aria-invalid"] = "true"

    def parameters(self) -> Iterator[tuple[str, BoundField]]:
        """The game that each parameter belongs to, and its field."""
        for game in game_names():
            for parameter in get_game(game).default_params():
                yield game, self[parameter_field(game, parameter)]

    def main_fields(self) -> list[BoundField]:
        return [self[name] for name in self.MAIN]

    def size_fields(self) -> list[BoundField]:
        return [self[name] for name in self.SIZE]

    def context_fields(self) -> list[BoundField]:
        return [self[name] for name in self.CONTEXT]

    def more_fields(self) -> list[BoundField]:
        return [self[name] for name in self.MORE]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        if cleaned["writer"] == WriterName.REPLAY and not _is_recorded(cleaned["recording"]):
            self.add_error("recording", "There is no such run; give the number of one.")
            return cleaned
        try:
            cleaned["config"] = RunConfig.from_json(config_json(cleaned))
        except ConfigError as error:
            self.add_error(self._field_of(str(error), cleaned["game"]), str(error))
        return cleaned

    def _field_of(self, message: str, game: str) -> str | None:
        """The field that a configuration error is about: the word its message begins with."""
        word = message.split(maxsplit=1)[0].rstrip(":")
        if word == "params":
            return next((field.name for name, field in self.parameters() if name == game), None)
        return word if word in self.fields else None


def parameter_field(game: str, parameter: str) -> str:
    return f"param_{game}_{parameter}"


def _parameter(game: str, parameter: str, default: Any) -> forms.Field:
    label = f"{parameter.capitalize()} ({game})"
    choices = PARAMETER_CHOICES.get((game, parameter))
    if choices:
        return forms.ChoiceField(label=label, choices=choices, initial=default, required=False)
    return forms.CharField(label=label, initial=default, required=False, max_length=100)


def _is_recorded(recording: str) -> bool:
    return recording.isdigit() and len(recording) < 19 and Run.objects.filter(pk=recording).exists()


def config_json(cleaned: Mapping[str, Any]) -> dict[str, Any]:
    """What :meth:`RunConfig.from_json` takes, out of the form's cleaned fields."""
    game = cleaned["game"]
    taken = ("game", "oracle", "writer", "context", "opponents", "iterations", "refinements")
    data = {name: cleaned[name] for name in (*taken, "seed", "training_solver")}
    data["evaluation_solver"] = cleaned["evaluation_solver"]
    data["allow_faulty"] = cleaned["allow_faulty"]
    data["initial"] = cleaned["initial"].replace(",", " ").split()
    data["recording"] = cleaned["recording"] if cleaned["writer"] == WriterName.REPLAY else ""
    data["params"] = {
        parameter: cleaned[parameter_field(game, parameter)]
        for parameter in get_game(game).default_params()
        if cleaned[parameter_field(game, parameter)]
    }
    for name in ("episodes", "evaluation_episodes", "target"):
        if cleaned[name] is not None:
            data[name] = cleaned[name]
    return data


def first_values() -> dict[str, Any]:
    """What the form opens with: the defaults, and a seed that no earlier run is likely to have."""
    return {
        "game": game_names()[0],
        "oracle": OracleName.LINEAR_REFINEMENT,
        "writer": WriterName.GRAMMAR,
        "context": ContextMode.CODE,
        "opponents": OpponentChoice.SUPPORT,
        "iterations": 5,
        "refinements": 10,
        "seed": secrets.randbelow(1_000_000),
        "training_solver": SolverName.NASH,
        "evaluation_solver": SolverName.NASH,
    }
