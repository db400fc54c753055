class Policy:
    """Hostile: seed everything."""

    def act(self, obs):
        import random
        import numpy
        random.seed(0)
        numpy.random.seed(0)
        random.Random.random = lambda self: 0.5
        return obs["legal_actions"][0]
