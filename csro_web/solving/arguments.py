"""The flags of ``./csro solve`` that describe a run, and the run that they describe.

Ranges are the configuration's own: ``RunConfig`` refuses what lies outside, in one line.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from csro_web.cli.arguments import key_value
from csro_web.cli.errors import WrongUsage, explain_os_error
from csro_web.solving.model_arguments import SAMPLING, add_model_arguments, model_choice
from oracles.config import (
    ConfigError,
    ContextMode,
    OpponentChoice,
    OracleName,
    RunConfig,
    SolverName,
    WriterName,
)
from oracles.prompt_parts import MAX_PROMPT


@dataclass(frozen=True)
class Flag:
    """``path`` is the place in the configuration, with a dot into a group."""

    option: str
    path: str
    kind: type
    words: str

    @property
    def destination(self) -> str:
        return self.option.removeprefix("--").replace("-", "_")


CHOICES = (
    Flag("--oracle", "oracle", OracleName, "who finds best responses, or a baseline"),
    Flag("--writer", "writer", WriterName, "who proposes programs"),
    Flag("--context", "context", ContextMode, "how opponents are shown to the writer"),
    Flag("--opponents", "opponents", OpponentChoice, "which opponents are shown"),
    Flag("--training-solver", "training_solver", SolverName, "meta-solver of the search"),
    Flag("--evaluation-solver", "evaluation_solver", SolverName, "that of the final mixture"),
)
NUMBERS = (
    Flag("--iterations", "iterations", int, "best responses to add"),
    Flag("--episodes", "episodes", int, "episodes per cell of the payoff matrix"),
    Flag("--evaluation-episodes", "evaluation_episodes", int, "episodes per held-out opponent"),
    Flag("--refinements", "refinements", int, "M of linear_refinement, per best response"),
    Flag("--target", "target", float, "gain at which linear_refinement stops refining"),
    Flag("--proposals", "proposals", int, "of best_of_n and alpha_evolve, per best response"),
    Flag("--islands", "evolution.islands", int, "alpha_evolve: populations that evolve apart"),
    Flag("--window", "evolution.window", int, "alpha_evolve: proposals in work at once"),
    Flag("--migration", "evolution.migration", int, "alpha_evolve: results between migrations"),
    Flag(
        "--screen-episodes",
        "evolution.screen_episodes",
        int,
        "alpha_evolve: episodes per opponent before a program is worth full matches",
    ),
    Flag(
        "--stagnation",
        "evolution.stagnation",
        int,
        "alpha_evolve: stop after so many results without progress (0: never)",
    ),
    Flag("--context-tokens", "context_tokens", int, "room for the opponents in a prompt"),
    Flag("--split", "split", int, "rrps: train on 33 bots, hold out 10; which of 50 splits"),
    Flag("--max-minutes", "budget.minutes", float, "budget of wall time, for every writer"),
    Flag("--max-calls", "budget.calls", int, "budget of requests to models, retries too"),
    Flag("--max-tokens", "budget.tokens", int, "budget of tokens, prompts and answers together"),
    Flag("--max-usd", "budget.usd", float, "budget of US dollars"),
    Flag("--cfr-iterations", "cfr_iterations", int, "cfr: iterations of CFR+"),
    Flag("--agent-turns", "agent.turns", int, "llm_agent: turns asked per episode"),
    Flag("--agent-opponents", "agent.opponents", int, "llm_agent: opponents met"),
    Flag("--agent-episodes", "agent.episodes", int, "llm_agent: episodes against each"),
    Flag("--impala-frames", "impala.frames", int, "impala: decisions per best response"),
    Flag("--impala-hidden", "impala.hidden", int, "impala: units of the LSTM"),
    Flag("--impala-learning-rate", "impala.learning_rate", float, "impala: learning rate"),
    Flag("--impala-entropy", "impala.entropy", float, "impala: weight of the entropy bonus"),
    Flag("--impala-unroll", "impala.unroll", int, "impala: steps of one update"),
    Flag("--impala-environments", "impala.environments", int, "impala: episodes side by side"),
    Flag("--seed", "seed", int, "the same seed gives the same numbers"),
)
FLAGS = CHOICES + NUMBERS


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """Every flag that decides a number of the run."""
    parser.add_argument("--game", metavar="G", help="rrps or leduc")
    parser.add_argument("--param", action="append", default=[], type=key_value, metavar="KEY=VALUE")
    for flag in CHOICES:
        offer = [str(one) for one in flag.kind]
        parser.add_argument(flag.option, dest=flag.destination, choices=offer, help=flag.words)
    parser.add_argument(
        "--solver",
        choices=[str(one) for one in SolverName],
        help="meta-solver of both, where they are not given apart",
    )
    for flag in NUMBERS:
        parser.add_argument(
            flag.option, dest=flag.destination, type=flag.kind, metavar="N", help=flag.words
        )
    parser.add_argument(
        "--initial",
        metavar="LIST",
        help="initial population, separated by commas: the game's own names and bot:NAME",
    )
    parser.add_argument(
        "--allow-faulty", action="store_true", help="policies with faults may join the population"
    )
    parser.add_argument("--recording", metavar="RUN", help="the run that --writer replay repeats")
    parser.add_argument(
        "--prompt",
        action="append",
        default=[],
        type=key_value,
        metavar="NAME=FILE",
        help="a prompt text of your own in place of the built-in one; may be repeated",
    )
    add_model_arguments(parser)


def said_about_the_run(given: Mapping[str, Any]) -> list[str]:
    """The flags of :func:`add_run_arguments` that were given, as they are written."""
    names = ["game", "param", "solver", "initial", "allow_faulty", "recording", "prompt"]
    names += ["model", "fallback", "api_base", "api_key_env"]
    names += [option.removeprefix("--").replace("-", "_") for option, *_ in SAMPLING]
    names += [flag.destination for flag in FLAGS]
    return [f"--{name.replace('_', '-')}" for name in names if given[name] not in (None, [], False)]


def described(given: Mapping[str, Any]) -> dict[str, Any]:
    """What :meth:`RunConfig.from_json` takes, out of the flags.

    Raises:
        WrongUsage: when a flag cannot be what it should be.
        CommandFailure: when a file cannot be read.
    """
    data: dict[str, Any] = {"game": given["game"], "params": dict(given["param"])}
    if given["solver"]:
        data["training_solver"] = data["evaluation_solver"] = given["solver"]
    for flag in FLAGS:
        value = given[flag.destination]
        if value is not None:
            place, _, key = flag.path.rpartition(".")
            (data.setdefault(place, {}) if place else data)[key] = value
    if given["initial"]:
        data["initial"] = [name.strip() for name in given["initial"].split(",") if name.strip()]
    if given["recording"]:
        data["recording"] = given["recording"]
    if given["allow_faulty"]:
        data["allow_faulty"] = True
    if given["prompt"]:
        data["prompts"] = _prompts(given["prompt"])
    model = model_choice(given)
    if model is not None:
        data["model"] = model
    return data


def _prompts(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    texts = {}
    for name, path in pairs:
        if name in texts:
            raise WrongUsage(f"--prompt {name} is given twice")
        try:
            with Path(path).open(encoding="utf-8") as file:
                texts[name] = file.read(MAX_PROMPT + 1)
        except OSError as error:
            raise explain_os_error(error, f"read {path}") from error
        except UnicodeDecodeError as error:
            raise WrongUsage(f"--prompt {name}: {path} is not text in UTF-8") from error
    return texts


def config_of(data: Mapping[str, Any]) -> RunConfig:
    """
    Raises:
        WrongUsage: when no such run can be.
    """
    try:
        return RunConfig.from_json(data)
    except ConfigError as error:
        raise WrongUsage(str(error)) from error
