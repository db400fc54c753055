class Policy:
    """Hostile: list answer."""

    def act(self, obs):
        return [0]
