"""The pages on which administrators manage people."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from csro_web.accounts import emails, lockout, passwords, people, sessions, tokens
from csro_web.accounts.forms import EmailForm, PersonForm, RoleForm
from csro_web.accounts.models import Role, User
from csro_web.accounts.permissions import requires
from csro_web.pages.keys import wanted_text

PEOPLE_PER_PAGE = 50


@require_http_methods(["GET", "HEAD", "POST"])
@requires("people.manage")
def people_list(request: HttpRequest) -> HttpResponse:
    """Everybody, and a form for somebody new; their password is shown this once."""
    if request.method != "POST":
        return _list(request, PersonForm())
    form = PersonForm(request.POST)
    if not form.is_valid():
        return _list(request, form, status=422)
    chosen = form.cleaned_data
    try:
        person, password = people.add(
            username=chosen["username"],
            email=chosen["email"],
            role=Role(chosen["role"]),
            teams=chosen["teams"],
            actor=request.user,
        )
    except emails.AddressTaken as error:
        form.add_error("email", f"{error}.")
        return _list(request, form, status=422)
    return _handed_over(request, person, password)


def _list(request: HttpRequest, form: PersonForm, *, status: int = 200) -> HttpResponse:
    wanted = wanted_text(request.GET.get("q", ""), 150)
    found = User.objects.prefetch_related("teams").order_by("username")
    if wanted:
        found = found.filter(Q(username__icontains=wanted) | Q(email__icontains=wanted))
    page = Paginator(found, PEOPLE_PER_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "form": form, "wanted": wanted}
    return render(request, "accounts/people.html", context, status=status)


def _handed_over(
    request: HttpRequest, person: User, password: str, ended: passwords.Ended | None = None
) -> HttpResponse:
    context = {"person": person, "password": password, "ended": ended}
    return render(request, "accounts/one_time_password.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@requires("people.manage")
def person_page(request: HttpRequest, person_id: int) -> HttpResponse:
    """One person; a POST changes the role."""
    person = get_object_or_404(User.objects.prefetch_related("teams"), pk=person_id)
    form = RoleForm(request.POST or None, initial={"role": person.role})
    if request.method == "POST":
        if form.is_valid():
            role = Role(form.cleaned_data["role"])
            return _done(
                request,
                person,
                lambda: people.change_role(person, role, actor=request.user),
                f"{person} is {role.label.lower()} from now on.",
            )
        return _person(request, person, form, status=422)
    return _person(request, person, form)


def _person(
    request: HttpRequest,
    person: User,
    form: RoleForm | None = None,
    email_form: EmailForm | None = None,
    *,
    status: int = 200,
) -> HttpResponse:
    context = {
        "person": person,
        "form": form or RoleForm(initial={"role": person.role}),
        "email_form": email_form or EmailForm(initial={"email": person.email}),
        "locked": lockout.locked_addresses(person),
        "open_sessions": sessions.of(person).count(),
        "tokens": tokens.usable(person).count(),
    }
    return render(request, "accounts/person.html", context, status=status)


def _done(request: HttpRequest, person: User, act: Callable[[], object], told: str) -> HttpResponse:
    try:
        act()
    except people.PeopleError as error:
        messages.error(request, f"{str(error)[:1].upper()}{str(error)[1:]}.")
    else:
        messages.success(request, told)
    return redirect("person", person.pk)


@require_POST
@requires("people.manage")
def change_email(request: HttpRequest, person_id: int) -> HttpResponse:
    person = get_object_or_404(User.objects.prefetch_related("teams"), pk=person_id)
    form = EmailForm(request.POST)
    if form.is_valid():
        address = form.cleaned_data["email"]
        try:
            changed = emails.change(person, address, actor=request.user)
        except emails.AddressTaken as error:
            form.add_error("email", f"{error}: each person has their own.")
        else:
            words = emails.told(address) if changed else "It is so already."
            messages.success(request, f"{person}: {words}")
            return redirect("person", person.pk)
    return _person(request, person, email_form=form, status=422)


@require_POST
@requires("people.manage")
def switch_off(request: HttpRequest, person_id: int) -> HttpResponse:
    person = get_object_or_404(User, pk=person_id)
    told = f"{person} is switched off; sessions have ended and tokens are revoked."
    return _done(request, person, lambda: people.switch_off(person, actor=request.user), told)


@require_POST
@requires("people.manage")
def switch_on(request: HttpRequest, person_id: int) -> HttpResponse:
    person = get_object_or_404(User, pk=person_id)
    told = f"{person} can sign in again. Tokens stay revoked."
    return _done(request, person, lambda: people.switch_on(person, actor=request.user), told)


@require_POST
@requires("people.manage")
def unlock(request: HttpRequest, person_id: int) -> HttpResponse:
    person = get_object_or_404(User, pk=person_id)
    told = f"{person} can try to sign in again, from everywhere."
    return _done(request, person, lambda: lockout.unlock(person, actor=request.user), told)


@require_POST
@requires("people.manage")
def new_password(request: HttpRequest, person_id: int) -> HttpResponse:
    person = get_object_or_404(User, pk=person_id)
    password, ended = passwords.give_out(person, actor=request.user)
    return _handed_over(request, person, password, ended)
