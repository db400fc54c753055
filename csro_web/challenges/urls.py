from django.urls import path

from csro_web.challenges import views

urlpatterns = [
    path("policies/<int:policy_id>/challenge", views.challenge_policy, name="policy-challenge"),
    path("runs/<int:run_id>/challenge", views.challenge_mixture, name="run-challenge"),
]
