"""Testing the connection to the models that the launch form names."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_POST, require_safe

from csro_web.accounts.permissions import requires
from csro_web.calls import model_tests
from csro_web.calls.jobs import MODEL_TEST
from csro_web.jobs.models import Job
from csro_web.jobs.waiting import cursor
from csro_web.runs.forms.models import ModelsField

FRAGMENT = "calls/model_test.html"


@require_POST
@requires("runs.launch")
def model_test(request: HttpRequest) -> HttpResponse:
    """Have a worker ask each model and fallback of the form once."""
    field = ModelsField("Models", "")
    try:
        named = [
            one
            for name in ("model_models", "model_fallbacks")
            for one in field.clean(request.POST.get(name, ""))
        ]
        if not named:
            raise forms.ValidationError("Name a model first: its endpoint, then the model.")
        job = model_tests.ask_test(named, person=request.user)
    except forms.ValidationError as error:
        return render(request, FRAGMENT, {"problem": " ".join(error.messages)})
    except model_tests.TooMany as error:
        return render(request, FRAGMENT, {"problem": str(error)})
    return render(request, FRAGMENT, {"job": job, "found": []})


@require_safe
@requires("runs.launch")
def model_test_live(request: HttpRequest, job_id: int) -> HttpResponse:
    """What is known so far; 204 while nothing changed since the cursor ``since``."""
    job = get_object_or_404(Job, pk=job_id, kind=MODEL_TEST, asked_by=request.user)
    if not job.is_over and request.GET.get("since") == cursor(job):
        return HttpResponse(status=204)
    found = job.result["models"] if job.result else job.partial or []
    response = render(request, FRAGMENT, {"job": job, "found": found})
    patch_cache_control(response, no_store=True)
    return response
