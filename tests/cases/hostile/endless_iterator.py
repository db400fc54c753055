class Policy:
    """Hostile: endless iterator."""

    def act(self, obs):
        return max(iter(lambda: 0, 1))
