"""The reference of actions: ``python -m csro_web.audit.reference`` prints the page."""

from __future__ import annotations

from csro_web.audit.actions import MEANING

HEAD = """# Actions in the audit trail

This page is made from the table in `csro_web/audit/actions.py`
(`python -m csro_web.audit.reference`); a test checks that it is current.
[What the audit trail can and cannot show](../explanation/audit-trail.md) tells what rows prove.

| action | meaning |
|---|---|
"""


def page() -> str:
    """The whole page, in the order of the table."""
    rows = (f"| `{action!s}` | {meaning} |\n" for action, meaning in MEANING.items())
    return HEAD + "".join(rows)


if __name__ == "__main__":
    print(page(), end="")
