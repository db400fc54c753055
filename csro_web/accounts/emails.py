"""E-mail addresses: one person each, changed by their owner or an administrator."""

from __future__ import annotations

from django.db import transaction

from csro_web.accounts import letters
from csro_web.accounts.administrators import one_at_a_time
from csro_web.accounts.models import User
from csro_web.audit.actions import Action
from csro_web.audit.trail import record


class AddressTaken(Exception):
    """Somebody else has the address."""

    def __init__(self, owner: User) -> None:
        self.owner = owner
        super().__init__(f"{owner} has this address already")


def refuse_taken(address: str, *, but: User | None = None) -> None:
    """
    Raises:
        AddressTaken: when somebody other than ``but`` has it, in whatever case it is written.
    """
    others = User.objects.exclude(pk=but.pk) if but else User.objects.all()
    owner = others.filter(email__iexact=address).order_by("pk").first() if address else None
    if owner is not None:
        raise AddressTaken(owner)


def change(person: User, address: str, *, actor: User) -> bool:
    """A new address, or none ("") for no letters; the old one is told. False: it was so already.

    Raises:
        AddressTaken: when somebody else has it.
    """
    with transaction.atomic():
        one_at_a_time()
        refuse_taken(address, but=person)
        before = User.objects.values_list("email", flat=True).get(pk=person.pk)
        if before == address:
            return False
        User.objects.filter(pk=person.pk).update(email=address)
        told = letters.tell_old_address(person, before, actor=actor)
        detail = {
            "by": "its owner" if actor.pk == person.pk else "an administrator",
            "from": "an address" if before else "none",
            "to": "another address" if address else "none",
            "letter_to_the_old_one": told,
        }
        record(Action.EMAIL_CHANGED, actor=actor, subject=person, detail=detail)
    person.email = address
    return True


def told(address: str) -> str:
    """What the page says afterwards."""
    return f"Letters go to {address} from now on." if address else "No letters are sent any more."
