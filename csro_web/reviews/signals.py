"""What happens in reviews, for apps that this one does not know.

Sent inside the transaction that does it: what a receiver raises undoes all of it.
"""

from __future__ import annotations

from django.dispatch import Signal

review_published = Signal()
"""``policy``, ``person``, ``verdict`` and ``reason`` (its words) of a review of a
policy; reviews of candidates are nobody else's business."""
thread_opened = Signal()
"""``policy`` and ``person``: a thread was published, or opened again; sent once for each version
that it is carried to (:func:`csro_web.reviews.publishing.policies_from`)."""
