from django.urls import path

from csro_web.jobs import views

urlpatterns = [
    path("jobs/<int:job_id>/live", views.job_live, name="job-live"),
    path("jobs/<int:job_id>/cancel", views.job_cancel, name="job-cancel"),
]
