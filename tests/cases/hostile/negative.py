class Policy:
    """Hostile: negative."""

    def act(self, obs):
        return -1
