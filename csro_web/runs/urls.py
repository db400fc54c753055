from django.urls import path

from csro_web.runs import views

urlpatterns = [
    path("", views.run_list, name="runs"),
    path("runs/<int:run_id>", views.run_page, name="run"),
]
