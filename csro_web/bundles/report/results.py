"""The report's figures: who is in it, what they are worth, what leaving others out costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csro_web.bundles.report.charts import MOST_IN_MATRIX, Bar, matrix_chart, weights_chart
from csro_web.bundles.report.markup import Child, Markup, element, table
from csro_web.pages.numbers import payoff, weight

Facts = Mapping[str, Any]

SUBJECTS = {
    "exported_mixture": "What is exported, on seeds of its own",
    "final_mixture": "Final mixture of the run",
    "best_policy": "Best policy of the run",
    "last_policy": "Last policy of the run",
}


def estimate(row: Facts | None, *, signed: bool = True) -> str:
    """A figure with its interval; one that is not known is said to be so."""
    if row is None:
        return "unknown"
    return str(payoff(row["mean"], row["low"], row["high"], signed=signed))


def policies(manifest: Facts) -> Markup:
    mixture = manifest["mixture"]
    rows = [
        [
            f"{row['index']} {row['name']}",
            row["origin"],
            _weight(mixture, row["index"]),
            _standing(manifest, row),
            element("span", (row["sha256"] or "")[:16], class_="hash"),
        ]
        for row in manifest["population"]
        if row["included"]
    ]
    out = [
        [f"{row['index']} {row['name']}", row["origin"], row["why_not"]]
        for row in manifest["population"]
        if not row["included"]
    ]
    left = (
        [element("h3", "Left out"), table(["Policy", "Origin", "Why"], out)]
        if out and manifest["kind"] == "run"
        else []
    )
    heading: list[Child] = ["Policy", "Origin", "Weight", "Approved by", "sha256"]
    return element("section", element("h2", "Policies"), table(heading, rows, numeric=[2]), *left)


def _weight(mixture: Facts | None, index: int) -> str:
    if mixture is None:
        return "alone"
    exported = mixture["exported"]
    if not exported["low"]:
        return str(weight(exported["weights"][index]))
    return str(weight(exported["weights"][index], exported["low"][index], exported["high"][index]))


def _standing(manifest: Facts, row: Facts) -> str:
    if not row["approved"]:
        return f"nobody ({row['state'].replace('_', ' ')})"
    for record in manifest["record"]:
        if record["index"] == row["index"]:
            current = [one for one in record["approvals"] if one["lapsed_at"] is None]
            if current:
                return f"{current[-1]['approver']}, {current[-1]['at'][:10]}"
    return "approved"


def cost(manifest: Facts) -> Markup:
    mixture = manifest["mixture"]
    if mixture is None:
        return element("section")
    full, exported, paid = mixture["full"], mixture["exported"], mixture["cost"]
    bars = [
        Bar(
            f"{row['index']} {row['name']}",
            full["weights"][row["index"]],
            exported["weights"][row["index"]],
            exported["low"][row["index"]] if exported["low"] else None,
            exported["high"][row["index"]] if exported["high"] else None,
        )
        for row in manifest["population"]
        if max(full["weights"][row["index"]], exported["weights"][row["index"]]) >= 0.005
    ]
    rows: list[list[Child]] = [
        [
            "Exploitability of the full mixture",
            estimate(paid["exploitability_before"], signed=False),
        ],
        [
            "Exploitability of what is exported",
            estimate(paid["exploitability_after"], signed=False),
        ],
        [
            "Payoff of what is exported against the full mixture",
            estimate(paid["payoff_against_full"]),
        ],
    ]
    return element(
        "section",
        element("h2", "What leaving policies out costs"),
        element(
            "p",
            f"The mixture was solved anew ({mixture['solver']}, seed {mixture['seed']}) over the "
            f"{len(exported['members'])} exported of {len(full['members'])} policies; its weights "
            "are no shares of the full mixture's. Exploitability is what the best policy of the "
            "population gains against a mixture; a policy outside of the population may gain more.",
        ),
        table(["", "Per episode"], rows, numeric=[1]),
        element("p", "Weight in the full mixture (grey) and in the export (teal):", class_="quiet"),
        weights_chart(bars),
    )


def scores(manifest: Facts) -> Markup:
    found = manifest["evaluations"]
    if not found:
        return element("section")
    rows = [
        [
            SUBJECTS.get(one["subject"], one["subject"]),
            estimate(one["pop_return"]),
            estimate(one["pop_expl"], signed=False),
            estimate(one["agg_score"]),
            f"{sum(o['episodes'] for o in one['opponents'] if not o['seen']):,}",
        ]
        for one in found
    ]
    heading = ["Subject", "PopReturn", "PopExpl", "AggScore", "Episodes"]
    opponents = [table_of_opponents(one) for one in found if one["subject"] == "exported_mixture"]
    return element(
        "section",
        element("h2", "Against the evaluation population"),
        table(heading, rows, numeric=[1, 2, 3, 4]),
        *opponents,
    )


def table_of_opponents(scores_: Facts) -> Markup:
    rows = [
        [
            one["name"] + (" (met in training)" if one["seen"] else ""),
            estimate(one),
            str(one["seed"]),
        ]
        for one in sorted(scores_["opponents"], key=lambda one: one["mean"])
    ]
    return element(
        "div",
        element("h3", "What is exported, against each opponent, worst first"),
        table(["Opponent", "Mean payoff", "Seed"], rows, numeric=[1, 2]),
    )


def matrix(manifest: Facts) -> Markup:
    rows = manifest["population"]
    if manifest["mixture"] is None or len(rows) > MOST_IN_MATRIX:
        return element("section")
    cells: dict[tuple[int, int], float] = {}
    for cell in manifest["cells"]:
        cells[cell["row"], cell["column"]] = cell["mean"]
        cells[cell["column"], cell["row"]] = -cell["mean"]
    return element(
        "section",
        element("h2", "Payoff matrix"),
        element("p", "Mean payoff of the row against the column, per episode.", class_="quiet"),
        matrix_chart([row["name"] for row in rows], cells),
        class_="keep",
    )
