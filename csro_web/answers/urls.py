from django.urls import path

from csro_web.answers import views

urlpatterns = [
    path("requests", views.request_list, name="requests"),
    path("requests/<int:step_id>", views.request_page, name="request"),
    path("requests/<int:step_id>/draft", views.request_draft, name="request-draft"),
]
