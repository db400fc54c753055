class Policy:
    """Hostile: text answer."""

    def act(self, obs):
        return "0"
