class Policy:
    """Hostile: change observation."""

    def act(self, obs):
        obs["legal_actions"][:] = [99]
        obs.clear()
        return 99
