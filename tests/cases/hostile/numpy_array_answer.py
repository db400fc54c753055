class Policy:
    """Hostile: numpy array answer."""

    def act(self, obs):
        import numpy
        return numpy.array([0, 1])
