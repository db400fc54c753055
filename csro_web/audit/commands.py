"""Django's commands that add people or change their passwords, recorded like a page's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.db.models.signals import post_save, pre_save

from csro_web.accounts.models import User
from csro_web.audit.actions import Action
from csro_web.audit.trail import record


@contextmanager
def recorded(action: Action, *, then: Callable[[User], object] | None = None) -> Iterator[None]:
    """Records ``action`` for every person who is saved meanwhile, in the transaction of saving,
    and does ``then`` with them before."""
    opened: list[Any] = []

    def begin(sender: object, **_: Any) -> None:
        opened.append(transaction.atomic())
        opened[-1].__enter__()

    def end(sender: object, instance: User, **_: Any) -> None:
        if then is not None:
            then(instance)
        detail = {"role": instance.role, "superuser": instance.is_superuser, "from": "terminal"}
        record(action, actor=None, subject=instance, detail=detail)
        opened.pop().__exit__(None, None, None)

    pre_save.connect(begin, sender=User, dispatch_uid="audit.commands")
    post_save.connect(end, sender=User, dispatch_uid="audit.commands")
    try:
        yield
    except BaseException as error:
        while opened:
            opened.pop().__exit__(type(error), error, error.__traceback__)
        raise
    finally:
        pre_save.disconnect(sender=User, dispatch_uid="audit.commands")
        post_save.disconnect(sender=User, dispatch_uid="audit.commands")
