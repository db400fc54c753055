class Policy:
    """Hostile: big string."""

    def act(self, obs):
        str(10 ** 4000 ** 2)
        return obs["legal_actions"][0]
