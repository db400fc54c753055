from django.urls import path

from csro_web.audit import views

urlpatterns = [
    path("audit", views.trail, name="audit"),
    path("audit/verify", views.verify, name="audit-verify"),
    path("audit/export", views.export, name="audit-export"),
]
