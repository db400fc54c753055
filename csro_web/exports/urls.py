from django.urls import path

from csro_web.exports import views

urlpatterns = [
    path("exports", views.export_list, name="exports"),
    path("exports/public-key", views.public_key, name="public-key"),
    path("exports/<int:export_id>", views.export_page, name="export"),
    path("exports/<int:export_id>/download", views.export_download, name="export-download"),
    path("exports/<int:export_id>/report", views.export_report, name="export-report"),
    path("exports/<int:export_id>/delete", views.export_delete, name="export-delete"),
    path("runs/<int:run_id>/export", views.export_run, name="run-export"),
]
