from django.urls import path

from csro_web.pages import views

urlpatterns = [path("healthz", views.healthz, name="healthz")]
