"""Addresses of what people changed in populations."""

from django.urls import path

from csro_web.changes import change_views

urlpatterns = [
    path("changes/<int:change_id>", change_views.change_show, name="change"),
    path("changes/<int:change_id>/live", change_views.change_live, name="change-live"),
    path("runs/<int:run_id>/changes", change_views.run_changes, name="run-changes"),
    path("policies/<int:policy_id>/withdraw", change_views.policy_withdraw, name="policy-withdraw"),
    path("policies/<int:policy_id>/restore", change_views.policy_restore, name="policy-restore"),
]
