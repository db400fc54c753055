"""The list reads in bulk who had a part in its policies, and says what their own pages say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from csro_web.accounts.models import User
from csro_web.changes.people import people_behind, people_behind_each
from csro_web.policies.models import Origin, Policy
from csro_web.runs.models import Run
from tests.approvals.deeds import commit
from tests.web.builders import FIRST, add_policy

pytestmark = pytest.mark.django_db


def test_in_bulk_the_same_people_are_named_in_fewer_queries(
    run: Run, policy: Policy, someone: Callable[..., User]
) -> None:
    edit = add_policy(run, FIRST + "\nE = 1\n", name="edit", origin=Origin.EDITED)
    commit(run, edit, someone("ada"), parent=policy)
    bot = add_policy(run, "", name="rockbot", origin=Origin.BOT)
    every = [*Policy.objects.filter(run=run).select_related("run", "candidate__run")]
    with CaptureQueriesContext(connection) as one_by_one:
        expected: dict[int, Any] = {one.pk: people_behind(one) for one in every}
    with CaptureQueriesContext(connection) as at_once:
        assert people_behind_each(every) == expected
    assert "edited it" in str(expected[edit.pk])
    assert expected[bot.pk] == {run.launched_by_id: ["launched its run"]}
    assert len(at_once) < len(one_by_one)
