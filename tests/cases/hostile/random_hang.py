class Policy:
    """Hostile: random hang."""

    def act(self, obs):
        import random
        random.Random().shuffle(list(range(10 ** 9)))
        return obs["legal_actions"][0]
