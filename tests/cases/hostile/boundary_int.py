class Policy:
    """Hostile: boundary int."""

    def act(self, obs):
        return 2 ** 31
