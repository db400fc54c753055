from django.urls import path

from csro_web.reviews import comment_views, inbox_views, review_views, thread_views

urlpatterns = [
    path("policies/<int:policy_id>/threads", thread_views.policy_threads, name="policy-threads"),
    path("policies/<int:policy_id>/comments", comment_views.comment_new, name="comment-new"),
    path(
        "policies/<int:policy_id>/comments/draft",
        comment_views.comment_new_draft,
        name="comment-new-draft",
    ),
    path("policies/<int:policy_id>/review", review_views.review_edit, name="review-edit"),
    path("policies/<int:policy_id>/review/draft", review_views.review_draft, name="review-draft"),
    path("runs/<int:run_id>/threads", thread_views.run_threads, name="run-threads"),
    path("threads/<int:thread_id>", thread_views.thread_page, name="thread"),
    path("threads/<int:thread_id>/reply", comment_views.thread_reply, name="thread-reply"),
    path(
        "threads/<int:thread_id>/reply/draft",
        comment_views.thread_reply_draft,
        name="thread-reply-draft",
    ),
    path("threads/<int:thread_id>/resolve", thread_views.thread_resolve, name="thread-resolve"),
    path("threads/<int:thread_id>/reopen", thread_views.thread_reopen, name="thread-reopen"),
    path("threads/<int:thread_id>/confirm", thread_views.thread_confirm, name="thread-confirm"),
    path("comments/<int:comment_id>", comment_views.comment_page, name="comment"),
    path(
        "comments/<int:comment_id>/discard", comment_views.comment_discard, name="comment-discard"
    ),
    path("reviews/<int:review_id>", review_views.review_page, name="review"),
    path("inbox", inbox_views.inbox_page, name="inbox"),
    path("inbox/mark", inbox_views.inbox_mark, name="inbox-mark"),
    path("inbox/views", inbox_views.inbox_views, name="inbox-views"),
    path("inbox/letters", inbox_views.inbox_letters, name="inbox-letters"),
]
