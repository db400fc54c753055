class Policy:
    """Hostile: warnings flood."""

    def act(self, obs):
        import warnings
        for i in range(10 ** 6):
            warnings.warn("x" * 1000 + str(i))
        return obs["legal_actions"][0]
