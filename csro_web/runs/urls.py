from django.urls import path

from csro_web.runs import (
    evolution_views,
    launch_views,
    match_views,
    prompt_views,
    result_views,
    set_views,
    views,
)

urlpatterns = [
    path("", views.run_list, name="runs"),
    path("runs/new", launch_views.run_new, name="run-new"),
    path("runs/new/estimate", launch_views.run_estimate, name="run-estimate"),
    path("runs/<int:run_id>", views.run_page, name="run"),
    path("runs/<int:run_id>/live", views.run_live, name="run-live"),
    path("runs/<int:run_id>/payoffs.csv", views.run_payoffs, name="run-payoffs"),
    path("runs/<int:run_id>/evolution", evolution_views.run_evolution, name="run-evolution"),
    path(
        "runs/<int:run_id>/evolution/live",
        evolution_views.run_evolution_live,
        name="run-evolution-live",
    ),
    path("runs/<int:run_id>/prompts", prompt_views.run_prompts, name="run-prompts"),
    path("runs/<int:run_id>/pause", launch_views.run_pause, name="run-pause"),
    path("runs/<int:run_id>/resume", launch_views.run_resume, name="run-resume"),
    path("runs/<int:run_id>/finish", launch_views.run_finish, name="run-finish"),
    path("runs/<int:run_id>/cancel", launch_views.run_cancel, name="run-cancel"),
    path("results", result_views.results_page, name="results"),
    path("sets", set_views.set_list, name="sets"),
    path("sets/<int:set_id>", set_views.set_page, name="set"),
    path("sets/<int:set_id>/live", set_views.set_live, name="set-live"),
    path("matches/<int:match_id>", match_views.match_page, name="match"),
]
