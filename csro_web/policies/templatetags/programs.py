"""Policies and candidates alike in templates: what they are called and where their pages are."""

from __future__ import annotations

from django import template

from csro_web.policies import programs
from csro_web.policies.programs import Program

register = template.Library()


@register.filter
def title(program: Program) -> str:
    """Its name as people gave it: show it through ``inert_line`` or ``inert_plain``."""
    return programs.title(program)


@register.filter
def reference(program: Program) -> str:
    return programs.reference(program)


@register.simple_tag
def program_page(program: Program, page: str) -> str:
    """The address of a page that both kinds have."""
    return programs.address(program, page)
