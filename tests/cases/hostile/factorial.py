class Policy:
    """Hostile: factorial."""

    def act(self, obs):
        import math
        math.factorial(10 ** 8)
        return obs["legal_actions"][0]
