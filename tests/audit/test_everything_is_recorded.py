"""Every address that people post to leads to an event, taken from the URL configuration itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest
from django.test import RequestFactory
from django.urls import URLPattern

from csro_web.audit import trail
from csro_web.audit.actions import MEANING, Action
from tests.web import objects

NOT_RECORDED = {
    "sign-in": "recorded by Django's signals (test_recorded_actions.py)",
    "sign-out": "recorded by Django's signals (test_recorded_actions.py)",
    "audit-verify": "recorded by the worker that checked, with what it found",
    "policy-edit": "keeps a draft, which its author alone sees, or shows what it would change",
    "policy-edit-draft": "keeps a draft, which its author alone sees; what is tried is recorded",
    "policy-edit-differences": "compares a draft, and changes nothing",
    "policy-edit-discard": "removes a draft, which its author alone saw",
    "policy-add": "keeps what was brought in, for its person alone; the commit is recorded",
    "policy-comment-draft": "keeps a draft of a comment; publishing the review is recorded",
    "candidate-comment-draft": "keeps a draft of a comment; publishing the review is recorded",
    "policy-review-draft": "keeps a draft of a review; publishing it is recorded",
    "candidate-review-draft": "keeps a draft of a review; publishing it is recorded",
    "thread-reply-draft": "keeps a draft of a reply; publishing the review is recorded",
    "comment-discard": "removes a draft, which its author alone saw",
    "inbox-mark": "marks what one person has read in their own inbox",
    "inbox-views": "keeps a person's own filter of a list",
    "inbox-letters": "which letters a person wants to get themselves",
    "run-estimate": "computes the size of a run that is not launched",
    "request-draft": "keeps a draft, which its author alone sees; the answer is recorded",
}
"""Addresses that take a POST and leave no event, each with the reason."""


def leads_to(function: Any, goal: Callable[..., object]) -> bool:
    """Whether the goal can be reached from the function through names that its code uses."""
    seen: set[int] = set()
    waiting = [function]
    while waiting:
        one = waiting.pop()
        if one is goal:
            return True
        if id(one) in seen:
            continue
        seen.add(id(one))
        waiting += _used_by(one)
    return False


def _used_by(one: Any) -> Iterator[Any]:
    one = inspect.unwrap(one) if callable(one) and not isinstance(one, type) else one
    if isinstance(one, type):
        for base in one.__mro__:
            if base.__module__.startswith("csro_web"):
                yield from (value for value in vars(base).values() if _is_ours(value))
        return
    if not isinstance(one, FunctionType):
        yield from _parts(one)
        return
    names = set(_names(one.__code__))
    for name in names:
        found = one.__globals__.get(name)
        if isinstance(found, ModuleType) and found.__name__.startswith("csro_web"):
            yield from (getattr(found, more) for more in names if hasattr(found, more))
        elif _is_ours(found):
            yield found
    for cell in one.__closure__ or ():
        if _is_ours(cell.cell_contents):
            yield cell.cell_contents
        # An address of the API: one function for each method.
        for operation in getattr(cell.cell_contents, "operations", ()):
            yield operation.view_func


def _parts(one: Any) -> Iterator[Any]:
    """Of a bound method, a property or a partial: the function inside."""
    for name in ("__func__", "fget", "func"):
        found = getattr(one, name, None)
        if found is not None:
            yield found


def _names(code: CodeType) -> Iterator[str]:
    """Names that the code and the functions inside it use; also ``from ... import`` inside them."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _is_ours(value: Any) -> bool:
    module = getattr(value, "__module__", None) or ""
    return callable(value) and module.startswith("csro_web")


def takes_posts(pattern: URLPattern) -> bool:
    """Whether a POST gets past the methods that the view allows."""
    request = RequestFactory().post("/")
    view = pattern.callback
    try:
        response = view(request, **dict.fromkeys(pattern.pattern.converters, 0))
    except Exception:  # noqa: BLE001 - it went on into the view
        return True
    return response.status_code != 405


@pytest.mark.django_db
def test_every_address_that_takes_a_post_leads_to_an_event_or_says_why_not() -> None:
    silent = [
        pattern.name
        for pattern in objects.all_patterns()
        if takes_posts(pattern)
        and pattern.name not in NOT_RECORDED
        and not leads_to(pattern.callback, trail.record)
    ]
    assert silent == []


def test_each_exception_is_an_address_that_leads_to_no_event() -> None:
    known = {pattern.name: pattern for pattern in objects.all_patterns()}
    for name in NOT_RECORDED:
        assert name in known
        assert not leads_to(known[name].callback, trail.record), f"{name} is recorded"


def test_the_walk_finds_what_leads_to_an_event_and_nothing_else() -> None:
    known = {pattern.name: pattern.callback for pattern in objects.all_patterns()}
    assert leads_to(known["run-pause"], trail.record)
    assert leads_to(known["run-new"], trail.record)
    assert not leads_to(known["runs"], trail.record)
    assert not leads_to(known["policy"], trail.record)


def test_every_action_has_its_meaning() -> None:
    assert set(MEANING) == set(Action)
    assert all(words.endswith(".") for words in MEANING.values())
