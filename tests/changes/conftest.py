"""People of every role, as the tests of pages have them."""

from tests.web.conftest import (
    _fast_passwords,
    as_role,
    chromium,
    open_browser,
    operator,
    person,
    viewer,
)

__all__ = [
    "_fast_passwords",
    "as_role",
    "chromium",
    "open_browser",
    "operator",
    "person",
    "viewer",
]
