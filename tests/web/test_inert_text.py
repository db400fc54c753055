"""What a model wrote is shown, completely and visibly, and can do nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from csro_web.pages import inert
from csro_web.policies import code
from csro_web.policies.models import Candidate, Policy
from tests.web import builders

CASE = Path(__file__).parents[1] / "cases" / "completions" / "18_markup_in_comments.txt"
ATTACKS = [
    "<script>alert(document.cookie)</script>",
    "<img src=x onerror=alert(1)>",
    "{{ 7*7 }}{% debug %}",
    "</code></pre></textarea><svg onload=alert(2)>",
    '"><a href="javascript:alert(3)">',
    "' autofocus onfocus='alert(4)",
    "<style>body{display:none}</style><link rel=stylesheet href=//evil.example/x>",
    "<!--", "]]>", "&lt;b&gt;",
]  # fmt: skip
LIVE_MARKUP = re.compile(
    r"<script>|<img|<svg onload|<style|onerror=alert\(1\)>|href=\"javascript|<b>|evil\.example/x>",
)


@pytest.mark.parametrize(
    ("character", "shown"),
    [
        ("\u202e", "U+202E"), ("\u2066", "U+2066"), ("\u200b", "U+200B"), ("\ufeff", "U+FEFF"),
        ("\x1b", "U+001B"), ("\x00", "U+0000"), ("\r", "U+000D"), ("\u00ad", "U+00AD"),
        ("\u2028", "U+2028"), ("\u3164", "U+3164"), ("\U000e0041", "U+E0041"), ("\u00a0", "U+00A0"),
    ],
)  # fmt: skip
def test_a_character_that_nobody_sees_is_shown_by_its_code(character: str, shown: str) -> None:
    html = str(inert.visible_text(f"a{character}b"))
    assert shown in html
    assert character not in html
    assert shown in inert.plain(character)


def test_ordinary_text_of_any_script_stays_as_it_is() -> None:
    assert inert.visible("für größer 日本語 ok") == "für größer 日本語 ok"


def test_a_line_of_extreme_length_is_cut_and_the_cut_is_told() -> None:
    html = str(inert.visible_text("x" * 100_000))
    assert "98,000 more characters" in html
    assert len(html) < 3_000


def test_highlighted_lines_joined_are_the_source_whatever_is_in_it() -> None:
    source = 'x = """a\n<b> \x1b\n"""  # \u202e\n\ndef f():\n\treturn 1\n'
    lines = ["".join(text for _, text in tokens) for tokens in code.highlight(source)]
    assert lines == source.rstrip("\n").split("\n")


def test_code_of_one_endless_line_is_shown_without_highlighting() -> None:
    tokens = code.highlight("x = " + "(" * 100_000)
    assert len(tokens) == 1
    assert "more characters" in code.line_html(tokens[0])


@pytest.mark.parametrize("source", ["def f(:", "(" * 5000, "\x00", "class Policy: pass"])
def test_code_that_does_not_parse_has_no_outline_and_breaks_nothing(source: str) -> None:
    assert all(entry.name == "Policy" for entry in code.outline(source))
    assert code.strategy_in_words(source) == ""


@pytest.mark.parametrize("attack", [CASE.read_text(), *ATTACKS])
@pytest.mark.django_db
def test_no_field_that_a_model_fills_becomes_markup_on_any_page(
    attack: str, viewer: Client
) -> None:
    run = builders.make_run(name=attack[:120])
    run.failure = run.stop_reason = attack
    run.save()
    text = f"# {attack}\nclass Policy:\n    '''{attack}'''\n    {attack}\n"
    candidate = builders.add_candidate(
        run, 1, 0, source=text, completion=attack, feedback=attack, reason=attack, accepted=False,
        tracebacks=[attack], faults={attack[:60]: 2}, repairs=[attack], model=attack[:150],
        messages=[{"role": attack[:40], "content": attack}],
        per_opponent=[{"name": attack, "weight": 1.0, "mean": 2.0, "low": 1.0, "high": 3.0}],
    )  # fmt: skip
    first = builders.add_policy(run, text, name=attack[:100], candidate=candidate)
    second = builders.add_policy(run, text + attack, name=attack[:100], faults={attack[:60]: 1})
    report = {"counts": {attack[:60]: 1}, "tracebacks": [attack], "output": attack}
    match = builders.add_match(second, first, mean=3.0, faults_a=1)
    match.result["a"] = report
    match.save()
    builders.add_cell(second, first, match)
    for address in addresses(run.pk, first, second, candidate, match.pk):
        page = viewer.get(address)
        assert page.status_code == 200, address
        body = page.content.decode()
        assert not LIVE_MARKUP.search(body.partition("<main")[2]), address
        assert " style=" not in body
        assert "'unsafe" not in page.headers["Content-Security-Policy"]


def addresses(
    run: int, first: Policy, second: Policy, candidate: Candidate, match: int
) -> list[str]:
    return [
        "/",
        f"/runs/{run}",
        f"/runs/{run}/candidates",
        f"/candidates/{candidate.pk}",
        f"/candidates/{candidate.pk}/diff/{candidate.pk}",
        f"/policies/{first.pk}",
        f"/policies/{second.pk}",
        f"/policies/{first.pk}/diff/{second.pk}",
        f"/policies/{first.pk}/diff/{second.pk}?view=unified",
        f"/matches/{match}",
    ]


@pytest.mark.django_db
def test_the_downloaded_source_is_plain_text_and_no_spreadsheet_meets_a_formula(
    viewer: Client,
) -> None:
    run = builders.make_run()
    policies = [builders.add_policy(run, f"x = {n}\n", name="=cmd|' /C calc'!A0") for n in (1, 2)]
    builders.add_cells(policies[1])
    response = viewer.get(f"/policies/{policies[0].pk}/source")
    assert response.headers["Content-Type"].startswith("text/plain")
    assert response.headers["Content-Disposition"].startswith("attachment")
    table = viewer.get(f"/runs/{run.pk}/payoffs.csv").getvalue().decode()
    assert ",'=cmd" in table
    assert ",=cmd" not in table
