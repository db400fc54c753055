"""The report holds what people and models wrote, and none of it can act."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from csro_web.bundles.report.charts import Bar, matrix_chart, weights_chart
from csro_web.bundles.report.markup import element, inert
from csro_web.bundles.report.page import report_page

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)>\u202e\u200b\x1b[31m</pre></style>"
    "'\"><a href='javascript:alert(1)'>&lt;\x00\ufeff"
)
ESTIMATE = {"mean": 1.0, "low": 0.5, "high": 1.5, "episodes": 10}
AT = "2026-11-30T10:00:00+00:00"


def facts(text: str, *, draft: bool = False) -> dict[str, Any]:
    """A manifest of one policy in which everything that somebody could write is ``text``."""
    weights = {"weights": [1.0, 0.0], "low": [0.9, 0.0], "high": [1.0, 0.1], "members": [0]}
    cost = ("exploitability_before", "exploitability_after", "payoff_against_full")
    return {
        "draft": draft,
        "kind": "run",
        "package": "csro_export_run_7",
        "made_at": AT,
        "made_by": text,
        "engine_version": "1",
        "sandbox_level": "full",
        "game": {"name": "rrps", "title": "RRPS", "params": {"x": text}, "payoff_unit": "wins"},
        "run": {
            "number": 7,
            "name": text,
            "state": "finished",
            "launched_by": text,
            "config": {"oracle": "zero_shot", "writer": "llm", "seed": 3},
        },
        "population": [
            {"index": 0, "name": text, "origin": "edited", "sha256": "ab" * 32, "state": "approved"}
            | {"approved": True, "included": True, "why_not": "", "withdrawn_by": None},
            {"index": 1, "name": text, "origin": "bot", "sha256": None, "state": "unreviewed"}
            | {"approved": False, "included": False, "why_not": text, "withdrawn_by": None},
        ],
        "mixture": {
            "solver": "nash",
            "seed": 1,
            "full": {**weights, "members": [0, 1]},
            "exported": weights,
            "cost": dict.fromkeys(cost, ESTIMATE),
        },
        "cells": [{"row": 1, "column": 0, "mean": 3.0, "low": 1.0, "high": 5.0, "match": "k"}],
        "evaluations": [
            {
                "subject": "exported_mixture",
                **dict.fromkeys(("pop_return", "pop_expl", "agg_score"), ESTIMATE),
                "opponents": [{"name": text, "seen": False, "seed": 5, "match": "k", **ESTIMATE}],
            }
        ],
        "provenance": [
            {
                "index": 0,
                "origin": "edited",
                "parents": [1],
                "proposals": [
                    {"key": text, "model": text, "messages": [{"content": text}]}
                    | {"completion_sha256": None, "program_sha256": "ab" * 32}
                ],
                "changes": [
                    {"number": 1, "kind": "commit", "author": text, "at": AT, "reason": text}
                    | {"edited_from": {"run": 7, "index": 1}}
                ],
            }
        ],
        "record": [
            {
                "index": 0,
                "reviews": [{"author": text, "at": AT, "verdict": "comment", "text": text}],
                "threads": [
                    {
                        "lines": [1, 2],
                        "carried": True,
                        "state": "resolved",
                        "resolved_by": text,
                        "quote": text,
                        "comments": [{"author": text, "at": AT, "text": text}],
                    }
                ],
                "reevaluations": [
                    {"at": AT, "asked_by": text, "job": "done", "done_at": None, "seed": 1}
                    | {"episodes": 4, "sandbox_level": "full"}
                ],
                "approvals": [
                    {"approver": text, "at": AT, "statement": text, "lapsed_at": AT}
                    | {"lapse_reason": text}
                ],
                "transitions": [
                    {"before": "unreviewed", "after": "approved", "event": "x", "by": text}
                    | {"at": AT, "reason": text}
                ],
            }
        ],
        "audit_head": {"sequence": 4, "hash": "cd" * 32},
    }


class Acts(HTMLParser):
    """Whatever in a page could do something or fetch something."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "img", "iframe", "object", "embed", "form", "link", "a", "base"):
            self.found.append(tag)
        for name, _ in attrs:
            if name.startswith("on") or name in ("style", "href", "src", "srcdoc"):
                self.found.append(f"{tag} {name}")

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("draft", [False, True])
def test_no_text_of_anybody_acts_in_the_report(draft: bool) -> None:
    report = report_page(facts(HOSTILE, draft=draft), {0: HOSTILE * 3 + "\n" + "y" * 100_000})
    seen = Acts()
    seen.feed(report)
    assert seen.found == []
    assert not {"\u202e", "\u200b", "\x1b", "\x00", "\ufeff"} & set(report)
    assert "U+202E" in report
    assert "more characters are not shown" in report
    assert seen.text.count("<script>alert(1)</script>") >= 15  # shown, every time, as text
    policy = re.search(r'Security-Policy" content="([^"]+)"', report)
    assert policy
    assert policy[1].startswith("default-src 'none'; style-src 'sha256-")
    assert ('class="watermark"' in report) is draft


def test_the_style_is_the_one_that_the_reports_own_policy_allows() -> None:
    import base64
    import hashlib

    report = report_page(facts("plain"), {0: "pass\n"})
    (style,) = re.findall(r"<style>(.*?)</style>", report, re.S)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in report


def test_unknown_figures_are_said_to_be_unknown() -> None:
    given = facts("plain")
    given["sandbox_level"] = None
    given["mixture"]["cost"]["exploitability_after"] = {"mean": 2.0, "low": None, "high": None}
    report = report_page(given, {0: "pass\n"})
    assert "± unknown" in report
    assert "<dd>unknown</dd>" in report


def test_markup_is_built_from_text_that_cannot_leave_its_place() -> None:
    assert inert("a<b\u202ec") == 'a&lt;b<span class="code">U+202E</span>c'
    assert element("p", "x", class_='"><b>') == '<p class="&quot;&gt;&lt;b&gt;">x</p>'
    assert "<script" not in weights_chart([Bar(HOSTILE, 0.5, 0.5, 0.4, None)])
    assert "<script" not in matrix_chart([HOSTILE], {(0, 0): 1})
