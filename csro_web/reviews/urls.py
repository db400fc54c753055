from django.urls import URLPattern, path

from csro_web.reviews import comment_views, inbox_views, review_views, thread_views


def _of_programs(kind: str, place: str) -> list[URLPattern]:
    """What policies and candidates both have (:func:`csro_web.policies.programs.address`)."""
    return [
        path(f"{place}/threads", thread_views.program_threads, name=f"{kind}-threads"),
        path(f"{place}/comments", comment_views.comment_new, name=f"{kind}-comment"),
        path(
            f"{place}/comments/draft",
            comment_views.comment_new_draft,
            name=f"{kind}-comment-draft",
        ),
        path(f"{place}/review", review_views.review_edit, name=f"{kind}-review"),
        path(f"{place}/review/draft", review_views.review_draft, name=f"{kind}-review-draft"),
    ]


urlpatterns = [
    *_of_programs("policy", "policies/<int:policy_id>"),
    *_of_programs("candidate", "candidates/<int:candidate_id>"),
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
