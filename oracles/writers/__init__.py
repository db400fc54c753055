"""Who proposes code: each writer answers a :class:`oracles.task.WriteRequest`."""
