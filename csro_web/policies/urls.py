from django.urls import path

from csro_web.policies import candidate_views, diff_views, views

urlpatterns = [
    path("policies/<int:policy_id>", views.policy_page, name="policy"),
    path("policies/<int:policy_id>/source", views.policy_source, name="policy-source"),
    path("policies/diff", diff_views.choose_policies, name="policy-diff-choose"),
    path(
        "policies/<int:old_policy_id>/diff/<int:new_policy_id>",
        diff_views.policy_diff,
        name="policy-diff",
    ),
    path(
        "policies/<int:old_policy_id>/diff/candidates/<int:new_candidate_id>",
        diff_views.policy_to_candidate,
        name="policy-to-candidate",
    ),
    path("runs/<int:run_id>/candidates", candidate_views.candidate_list, name="candidates"),
    path("candidates/<int:candidate_id>", candidate_views.candidate_page, name="candidate"),
    path(
        "candidates/<int:candidate_id>/history",
        diff_views.candidate_history,
        name="candidate-history",
    ),
    path(
        "candidates/<int:old_candidate_id>/diff/<int:new_candidate_id>",
        diff_views.candidate_diff,
        name="candidate-diff",
    ),
    path(
        "candidates/<int:old_candidate_id>/diff/policies/<int:new_policy_id>",
        diff_views.candidate_to_policy,
        name="candidate-to-policy",
    ),
]
