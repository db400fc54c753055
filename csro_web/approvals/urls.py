from django.urls import path

from csro_web.approvals import list_views, queue_views, views

urlpatterns = [
    path("reviews", queue_views.review_queue, name="reviews"),
    path("approvals", list_views.waiting, name="approvals"),
    path("policies/<int:policy_id>/approval", views.approval_page, name="policy-approval"),
    path("policies/<int:policy_id>/approval/decide", views.decide, name="approval-decide"),
    path("policies/<int:policy_id>/re-evaluate", views.reevaluate, name="policy-reevaluate"),
]
