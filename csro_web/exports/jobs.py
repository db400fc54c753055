"""The worker's part: make a bundle outside of transactions, keep it in the one that ends it."""

from __future__ import annotations

from typing import Any

from csro_web.exports import making, services
from csro_web.exports.choosing import ExportRefused, choose
from csro_web.exports.models import Export
from csro_web.jobs.kinds import JobRefused, Result, Surroundings, handles
from csro_web.jobs.models import Job


class _Found(dict[str, Any]):
    """The job's result as JSON, with the archive beside it: it is kept once, in its own table."""

    data: bytes = b""


def _keep(job: Job, result: Result) -> None:
    assert isinstance(result, _Found)
    export = Export.objects.select_related("asked_by").get(job=job)
    services.keep(export, name=result["name"], data=result.data, summary=result["summary"])


@handles(services.KIND, words="an export", long=True, save=_keep)
def make_export(job: Job, surroundings: Surroundings) -> Result:
    export = Export.objects.select_related("run__launched_by", "policy", "asked_by").get(
        pk=job.inputs["export"]
    )
    order = making.Order(
        made_at=job.inputs["made_at"],
        made_by=export.asked_by.get_username() if export.asked_by else None,
        audit_head=job.inputs["audit_head"],
    )
    tell = making.Surroundings(
        engine=surroundings.engine,
        should_stop=surroundings.should_stop,
        give_way=surroundings.give_way,
        report=lambda done, total, words: surroundings.report(done=done, total=total, words=words),
    )
    choice = choose(export.run, kind=export.kind, policy=export.policy, draft=export.draft)
    try:
        made = making.make(choice, order, tell)
    except ExportRefused as error:
        raise JobRefused(str(error)) from error
    found = _Found(name=made.name, summary=made.summary)
    found.data = made.data
    return found
