"""The report's record: what was asked, decided and changed, and where programs come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csro_web.bundles.report.markup import Markup, element, table

Facts = Mapping[str, Any]


def record(manifest: Facts) -> Markup:
    names = {row["index"]: row["name"] for row in manifest["population"]}
    parts = [_of_policy(names[row["index"]], row) for row in manifest["record"]]
    head = manifest["audit_head"]
    trail = f"row {head['sequence']}, hash {head['hash']}" if head else "not known"
    return element(
        "section",
        element("h2", "Review record"),
        *parts,
        element("p", f"Audit trail when this was asked for: {trail}.", class_="quiet hash"),
    )


def _of_policy(name: str, row: Facts) -> Markup:
    return element(
        "div",
        element("h3", f"{row['index']} {name}"),
        *(_approval(one) for one in row["approvals"]),
        _reevaluations(row["reevaluations"]),
        *(_review(one) for one in row["reviews"]),
        *(_thread(one) for one in row["threads"]),
        _transitions(row["transitions"]),
        _nothing(row),
    )


def _nothing(row: Facts) -> Markup | None:
    kinds = ("approvals", "reevaluations", "reviews", "threads", "transitions")
    if any(row[kind] for kind in kinds):
        return None
    return element("p", "Nobody reviewed it.", class_="quiet")


def _approval(one: Facts) -> Markup:
    words = f"Approved by {one['approver']} on {moment(one['at'])}."
    if one["lapsed_at"]:
        words += f" Lapsed {moment(one['lapsed_at'])}: {one['lapse_reason']}"
    return element("div", element("p", words), element("div", one["statement"], class_="said"))


def _reevaluations(attempts: list[Facts]) -> Markup | None:
    if not attempts:
        return None
    rows = [
        [
            f"{moment(one['at'])} by {one['asked_by'] or 'the application'}",
            one["job"] if one["done_at"] is None else f"done {moment(one['done_at'])}",
            str(one["seed"]),
            str(one["episodes"]),
            one["sandbox_level"] or "unknown",
        ]
        for one in attempts
    ]
    heading = ["Re-evaluation on unseen seeds", "Outcome", "Seed", "Episodes each", "Sandbox"]
    return table(heading, rows, numeric=[2, 3])


def _review(one: Facts) -> Markup:
    words = f"{one['author']}, {moment(one['at'])}: {one['verdict'].replace('_', ' ')}"
    text = element("div", one["text"], class_="said") if one["text"] else None
    return element("div", element("p", words), text)


def _thread(one: Facts) -> Markup:
    first, last = one["lines"]
    place = f"line {first}" if first == last else f"lines {first} to {last}"
    carried = ", asked of an earlier version" if one["carried"] else ""
    closed = f" by {one['resolved_by']}" if one["resolved_by"] else ""
    return element(
        "div",
        element("p", f"Thread on {place}{carried}: {one['state']}{closed}"),
        element("pre", one["quote"]),
        *(
            element(
                "div",
                element("span", f"{comment['author']}, {moment(comment['at'])}: ", class_="quiet"),
                comment["text"],
                class_="said",
            )
            for comment in one["comments"]
        ),
        class_="keep",
    )


def _transitions(moves: list[Facts]) -> Markup | None:
    if not moves:
        return None
    rows = [
        [
            moment(one["at"]),
            f"{one['before'].replace('_', ' ')} → {one['after'].replace('_', ' ')}",
            one["by"] or "the application",
            one["reason"] or one["event"].replace("_", " "),
        ]
        for one in moves
    ]
    return table(["When", "State", "By", "Why"], rows)


def provenance(manifest: Facts) -> Markup:
    names = {row["index"]: row["name"] for row in manifest["population"]}
    parts = [_origin(names[row["index"]], row) for row in manifest["provenance"]]
    return element(
        "section",
        element("h2", "Where the policies come from"),
        element("p", "Prompts stand whole in the manifest.", class_="quiet"),
        *parts,
    )


def _origin(name: str, row: Facts) -> Markup:
    proposals = [
        [
            one["key"],
            one["model"] or "built in",
            f"{len(one['messages'])} messages",
            element("span", (one["completion_sha256"] or "none")[:16], class_="hash"),
            element("span", (one["program_sha256"] or "none")[:16], class_="hash"),
        ]
        for one in row["proposals"]
    ]
    heading = ["Proposal", "Model", "Prompt", "Answer's sha256", "Program's sha256"]
    parents = ", ".join(str(index) for index in row["parents"])
    words = f"{row['origin'].capitalize()}" + (
        f"; shown or refined from {parents}" if parents else ""
    )
    return element(
        "div",
        element("h3", f"{row['index']} {name}"),
        element("p", words),
        table(heading, proposals) if proposals else None,
        *(_change(one) for one in row["changes"]),
    )


def _change(one: Facts) -> Markup:
    source = one["edited_from"]
    origin = "" if source is None else f" from policy {source['index']} of run {source['run']}"
    words = f"Change {one['number']}: {one['kind']}{origin}, {one['author']}, {moment(one['at'])}"
    return element("div", element("p", words), element("div", one["reason"], class_="said"))


def moment(iso: str) -> str:
    """A time of the manifest, to the minute."""
    return iso[:16].replace("T", " ") + " UTC"
