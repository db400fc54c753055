"""The texts of a prompt: each can be replaced for a run, and a wrong one is refused by name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import oracles
from games.rrps import Rrps
from oracles.config import ConfigError, RunConfig
from oracles.prompt import builtin_prompt, prompt_names, render_messages
from oracles.prompt_parts import WRITE_PARTS, placeholders, prompt_version


def content(edited: dict[str, str]) -> str:
    return render_messages(
        Rrps(),
        opponents=None,
        incumbent=None,
        history=(),
        edited=edited,
    )[1]["content"]


def test_every_file_is_a_known_part_and_every_part_a_file() -> None:
    folder = Path(oracles.__file__).parent / "prompts"
    assert {file.stem for file in folder.glob("*.md")} == set(prompt_names())
    assert all(builtin_prompt(name).strip() for name in prompt_names())


def test_an_edited_text_stands_in_place_of_the_built_in_one() -> None:
    edited = {"best_response": "# Your task\n\nLose as slowly as you can, for $$5."}
    text = content(edited)
    assert "Lose as slowly as you can, for $5." in text
    assert "a best response" not in text


def test_braces_and_percent_signs_of_an_edited_text_stay_as_they_are() -> None:
    """Templates that fill in braces fail at the first JSON example (LangChain, issue 700)."""
    example = 'Answer as {"code": "{code}"} in 100 % of the cases.'
    assert example in content({"output": example})


def test_the_built_in_texts_are_accepted_as_edits_and_change_nothing() -> None:
    texts = {name: builtin_prompt(name) for name in prompt_names()}
    config = RunConfig(game="rrps", prompts=texts)
    assert content(dict(config.prompts)) == content({})
    assert prompt_version(WRITE_PARTS, texts) == prompt_version(WRITE_PARTS, {})


def test_the_version_is_that_of_the_texts() -> None:
    plain = prompt_version(WRITE_PARTS, {})
    assert re.fullmatch("[0-9a-f]{64}", plain)
    assert prompt_version(WRITE_PARTS, {"retry": "Once more."}) != plain
    assert prompt_version(WRITE_PARTS, {"summary_system": "Read."}) == plain


@pytest.mark.parametrize(
    ("prompts", "told"),
    [
        ({"rulse": "x"}, "there is no text 'rulse'"),
        ({"rules": "The game."}, r"'rules' lacks the placeholder \$rules"),
        ({"interface": "$api"}, r"'interface' lacks the placeholder \$observation"),
        ({"output": "Use $langauge."}, r"'output' has the unknown placeholder \$langauge"),
        ({"output": "It costs $5."}, r"'output' has a '\$' that begins no placeholder"),
        ({"output": ""}, "'output' must have 1 to"),
        ({"output": "  \n"}, "'output' must have 1 to"),
        ({"output": "x" * 100_001}, "'output' must have 1 to"),
        ({"output": 7}, "'output' must have 1 to"),
        ("all", "must map names to texts"),
    ],
)
def test_a_wrong_text_is_refused_by_name(prompts: object, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        RunConfig.from_json({"game": "rrps", "prompts": prompts})


def test_placeholders_are_those_of_the_built_in_text() -> None:
    assert placeholders("interface") == ("api", "observation")
    assert placeholders("retry") == ()
