"""``./csro bots``: the reference opponents of a game, with a line each."""

from __future__ import annotations

from collections.abc import Sequence

from csro_web.cli.arguments import add_game, add_json, parser
from csro_web.cli.output import STDOUT, check_target, table, write_json


def main(name: str, argv: Sequence[str]) -> int:
    arguments = parser(name, "The reference opponents of a game, with a line each.")
    add_game(arguments)
    add_json(arguments)
    given = arguments.parse_args(argv)
    check_target(given.json)
    from csro_web.cli.players import load_game

    game = load_game(given.game, given.param)
    held_out = set(game.evaluation_population())
    bots = [
        {"name": bot.name, "summary": bot.summary, "held_out": bot.name in held_out}
        for bot in game.bots()
    ]
    if given.json != STDOUT:
        rows = [(bot["name"], bot["summary"]) for bot in bots]
        print(table(rows, ("bot", "what it does"), left=2))
    if given.json:
        write_json(given.json, {"game": game.name, "game_params": game.params, "bots": bots})
    return 0
