"""The whole report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csro_web.bundles.package import DRAFT_WORDS
from csro_web.bundles.report import audit, results, style
from csro_web.bundles.report.markup import Markup, element, facts, inert, join

Facts = Mapping[str, Any]


def report_page(manifest: Facts, sources: Mapping[int, str]) -> str:
    """HTML of the report. ``sources`` are the exported programs by their index.

    No script, no style but its own, nothing that is loaded; what people and models wrote is inert.
    """
    draft = manifest["draft"]
    sections = [
        _head(manifest),
        results.policies(manifest),
        results.cost(manifest),
        results.scores(manifest),
        results.matrix(manifest),
        audit.record(manifest),
        audit.provenance(manifest),
        _checking(),
        _listings(manifest, sources),
    ]
    mark = element("div", "DRAFT", class_="watermark", aria_hidden="true") if draft else None
    body = element("body", mark, element("main", *sections))
    head = join(
        [
            Markup('<meta charset="utf-8">'),
            Markup(f'<meta http-equiv="Content-Security-Policy" content="{style.policy()}">'),
            Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            element("title", _title(manifest)),
            Markup(f"<style>{style.STYLE}</style>"),
        ]
    )
    return f'<!doctype html>\n<html lang="en">\n{element("head", head)}\n{body}\n</html>\n'


def _title(manifest: Facts) -> str:
    what = "Policies" if manifest["kind"] == "run" else "A policy"
    draft = "DRAFT: " if manifest["draft"] else ""
    return f"{draft}{what} of run {manifest['run']['number']}, {manifest['game']['title']}"


def _head(manifest: Facts) -> Markup:
    run, game, by = manifest["run"], manifest["game"], manifest["made_by"]
    params = ", ".join(f"{name} = {value}" for name, value in sorted(game["params"].items()))
    note = element("p", DRAFT_WORDS, class_="draft-note") if manifest["draft"] else None
    config = run["config"]
    return element(
        "section",
        note,
        element("h1", _title(manifest)),
        facts(
            [
                ("Made", f"{audit.moment(manifest['made_at'])} by {by or 'the terminal'}"),
                ("Run", f"{run['number']} {run['name']} ({run['state']})"),
                ("Launched by", run["launched_by"] or "the terminal"),
                ("Method", f"{config['oracle']}, writer {config['writer']}"),
                ("Game", f"{game['title']} ({game['name']}{'; ' + params if params else ''})"),
                ("Payoffs", game["payoff_unit"]),
                ("Seed of the run", str(config["seed"])),
                ("Engine", f"version {manifest['engine_version']}"),
                ("Sandbox level", manifest["sandbox_level"] or "unknown"),
                ("Package", element("code", manifest["package"])),
            ]
        ),
        element(
            "p",
            "Ranges are 95 % intervals. The manifest beside this report holds every figure with "
            "its seed, episodes and match, and is what the signature covers.",
            class_="quiet",
        ),
    )


def _checking() -> Markup:
    return element(
        "section",
        element("h2", "How to check this"),
        element(
            "p",
            "With the public key that you got from whoever made it, not from the bundle itself: ",
            element("code", "./csro verify FILE --key KEY"),
            " compares every byte with what was signed; with ",
            element("code", "--replay"),
            " the matches are played again and the figures computed anew.",
        ),
    )


def _listings(manifest: Facts, sources: Mapping[int, str]) -> Markup:
    return element("section", *(_listing(row, sources) for row in _included(manifest)))


def _listing(row: Facts, sources: Mapping[int, str]) -> Markup:
    lines = sources[row["index"]].replace("\r\n", "\n").rstrip("\n").split("\n")
    numbered = [
        Markup(f'<span class="n" aria-hidden="true">{at}</span>{inert(line)}\n')
        for at, line in enumerate(lines, 1)
    ]
    return element(
        "div",
        element("h2", f"Program {row['index']}: {row['name']}"),
        element("p", element("span", f"sha256 {row['sha256']}", class_="hash"), class_="quiet"),
        element("pre", *numbered),
        class_="listing",
    )


def _included(manifest: Facts) -> list[Facts]:
    return [row for row in manifest["population"] if row["included"]]
