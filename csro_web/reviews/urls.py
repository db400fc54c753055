from django.urls import URLPattern, path

from csro_web.reviews import queue_views

urlpatterns: list[URLPattern] = [
    path("reviews", queue_views.review_queue, name="reviews"),
]
