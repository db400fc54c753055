"""Other parts of the application put text beside lines; the pages of code place it."""

from __future__ import annotations

from django.template.loader import render_to_string
from django.test import RequestFactory
from django.utils.safestring import mark_safe

from csro_web.policies import diff_shown, diff_views, views

OLD = "".join(f"line {number}\n" for number in range(40))
NEW = OLD.replace("line 20\n", "line twenty\n")
HERE = mark_safe("<b>here</b>")


def body(view: str, **beside: str) -> str:
    shown = diff_shown.programs(OLD, NEW)
    context = {"blocks": shown.blocks, "summary": shown.summary, "view": view, "beside": beside}
    return render_to_string("policies/diff_body.html", context, RequestFactory().get("/"))


def test_what_is_beside_a_line_stands_once_under_it_in_either_view() -> None:
    for view in diff_views.VIEWS:
        page = body(view, A21=HERE)
        assert page.count('data-beside="A21"') == 1
        assert page.index('id="A21"') < page.index('data-beside="A21"') < page.index('id="A22"')


def test_a_fold_with_something_beside_one_of_its_lines_starts_open() -> None:
    for view in diff_views.VIEWS:
        assert " open" not in body(view)
        assert 'id="fold-1" open' in body(view, B3=HERE)


def test_code_of_one_program_has_it_under_the_line() -> None:
    page = render_to_string(
        "policies/code.html", {"lines": views.code_lines("a\nb\n"), "beside": {"L1": HERE}}
    )
    assert page.index('id="L1"') < page.index("<b>here</b>") < page.index('id="L2"')


def test_what_is_put_beside_a_line_is_escaped_unless_it_was_made_safe() -> None:
    assert "<script>" not in body("split", A1="<script>")
