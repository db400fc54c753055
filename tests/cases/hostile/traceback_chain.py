class Policy:
    """Hostile: traceback chain."""

    def act(self, obs):
        error = None
        for _ in range(100000):
            new = ValueError("again")
            new.__cause__ = error
            error = new
        raise error
