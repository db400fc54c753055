class Policy:
    """Hostile: negative code."""

    def act(self, obs):
        return -3
