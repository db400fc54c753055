from django.urls import path

from csro_web.calls import model_test_views, views

urlpatterns = [
    path("runs/<int:run_id>/calls", views.call_list, name="calls"),
    path("runs/<int:run_id>/calls.csv", views.call_csv, name="calls-csv"),
    path("runs/<int:run_id>/calls.json", views.call_json, name="calls-json"),
    path("calls/<int:call_id>", views.call_page, name="call"),
    path("calls/<int:call_id>/resend", views.call_resend, name="call-resend"),
    path("models/test", model_test_views.model_test, name="model-test"),
    path("models/test/<int:job_id>", model_test_views.model_test_live, name="model-test-live"),
]
