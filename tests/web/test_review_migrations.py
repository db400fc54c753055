"""Reviews and threads from before candidates could be questioned get the run of their policy."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from csro_web.accounts.models import User
from csro_web.reviews.models import Review, Thread
from tests.web import builders

pytestmark = pytest.mark.django_db(transaction=True)


def migrate(name: str) -> MigrationExecutor:
    executor = MigrationExecutor(connection)
    executor.migrate([("reviews", name)])
    return MigrationExecutor(connection)


def test_rows_that_are_there_already_keep_their_policy_and_learn_their_run() -> None:
    before = migrate("0002_review_key").loader.project_state([("reviews", "0002_review_key")]).apps
    try:
        person = User.objects.create_user("ada")
        policy = builders.add_policy(builders.make_run(), builders.FIRST, name="first")
        review = before.get_model("reviews", "Review").objects.create(
            policy_id=policy.pk, sha256="0" * 64, author_id=person.pk, published_at=timezone.now()
        )
        before.get_model("reviews", "Thread").objects.create(
            policy_id=policy.pk, sha256="0" * 64, first_line=1, last_line=1, quote="x",
            opened_by_id=person.pk, review=review,
        )  # fmt: skip
    finally:
        migrate("0005_every_row_has_its_program")
    for row in (Review.objects.get(), Thread.objects.get()):
        assert (row.run_id, row.policy_id, row.candidate_id) == (policy.run_id, policy.pk, None)
