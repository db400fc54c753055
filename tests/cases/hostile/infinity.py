class Policy:
    """Hostile: infinity."""

    def act(self, obs):
        return float("inf")
