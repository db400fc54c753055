class Policy:
    """Hostile: none."""

    def act(self, obs):
        return None
