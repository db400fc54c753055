"""The addresses of the application, grouped by what they show."""

from django.urls import include, path

from csro_web.health import healthz

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("", include("csro_web.runs.urls")),
    path("", include("csro_web.policies.urls")),
    path("", include("csro_web.answers.urls")),
    path("", include("csro_web.calls.urls")),
    path("", include("csro_web.challenges.urls")),
    path("", include("csro_web.accounts.urls")),
    path("", include("csro_web.jobs.urls")),
    path("", include("csro_web.audit.urls")),
    path("", include("csro_web.reviews.urls")),
    path("", include("csro_web.search.urls")),
    path("", include("csro_web.changes.urls")),
    path("", include("csro_web.changes.edit_urls")),
    path("", include("csro_web.approvals.urls")),
    path("", include("csro_web.exports.urls")),
    path("api/v1/", include("csro_web.api.urls")),
]

handler400 = "csro_web.pages.errors.bad_request"
handler403 = "csro_web.pages.errors.permission_denied"
handler404 = "csro_web.pages.errors.page_not_found"
handler500 = "csro_web.pages.errors.server_error"
