"""Addresses of editing, trying and bringing along."""

from django.urls import path

from csro_web.changes import commit_views, edit_views, import_views, trial_views

urlpatterns = [
    path("policies/<int:policy_id>/edit", edit_views.edit_page, name="policy-edit"),
    path("policies/<int:policy_id>/edit/draft", edit_views.edit_draft, name="policy-edit-draft"),
    path(
        "policies/<int:policy_id>/edit/differences",
        edit_views.edit_differences,
        name="policy-edit-differences",
    ),
    path(
        "policies/<int:policy_id>/edit/discard", edit_views.edit_discard, name="policy-edit-discard"
    ),
    path("policies/<int:policy_id>/edit/try", edit_views.edit_try, name="policy-edit-try"),
    path(
        "policies/<int:policy_id>/edit/commit", commit_views.edit_commit, name="policy-edit-commit"
    ),
    path("trials/<int:trial_id>", trial_views.trial_page, name="trial"),
    path("trials/<int:trial_id>/live", trial_views.trial_live, name="trial-live"),
    path("trials/<int:trial_id>/repeat", trial_views.trial_repeat, name="trial-repeat"),
    path("trials/<int:trial_id>/cancel", trial_views.trial_cancel, name="trial-cancel"),
    path("runs/<int:run_id>/policies/add", import_views.policy_add, name="policy-add"),
    path("imports/<int:import_id>", import_views.import_page, name="import"),
]
