"""Arguments that several commands share, checked before any work begins."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import NoReturn

from csro_web.cli.errors import WrongUsage

EPISODES = (1, 10_000)
SEEDS = (0, 2**63 - 1)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, like every other error of the command line."""

    def error(self, message: str) -> NoReturn:
        raise WrongUsage(f"{message}; see {self.prog} --help")


def parser(name: str, description: str) -> argparse.ArgumentParser:
    """A parser for ``./csro NAME``; wrong usage raises :class:`WrongUsage`."""
    return _Parser(prog=f"./csro {name}", description=description, allow_abbrev=False)


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """A converter for argparse that takes whole numbers in ``[low, high]``."""

    def convert(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number") from None
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text[:40]} is not between {low:,} and {high:,}")
        return value

    return convert


def key_value(text: str) -> tuple[str, str]:
    """``KEY=VALUE`` as a pair; what is allowed is the game's to say."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return key.strip(), value.strip()


def add_game(arguments: argparse.ArgumentParser) -> None:
    arguments.add_argument("--game", required=True, metavar="G", help="rrps or leduc")
    arguments.add_argument(
        "--param",
        action="append",
        default=[],
        type=key_value,
        metavar="KEY=VALUE",
        help="a game parameter, for example reveal=always (may be repeated)",
    )


def add_episodes_and_seed(arguments: argparse.ArgumentParser, *, episodes: int) -> None:
    arguments.add_argument(
        "--episodes",
        type=whole_number(*EPISODES),
        default=episodes,
        metavar="N",
        help=f"episodes per match, {EPISODES[0]} to {EPISODES[1]:,} (default {episodes})",
    )
    arguments.add_argument(
        "--seed",
        type=whole_number(*SEEDS),
        default=0,
        metavar="S",
        help="decides every random draw; the same seed gives the same numbers (default 0)",
    )


def add_json(arguments: argparse.ArgumentParser) -> None:
    arguments.add_argument(
        "--json", metavar="FILE", help="write the answer as JSON too; - writes it alone to stdout"
    )
