from django.urls import path

from csro_web.search import views

urlpatterns = [path("search", views.search_page, name="search")]
