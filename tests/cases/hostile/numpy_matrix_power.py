class Policy:
    """Hostile: numpy matrix power."""

    def act(self, obs):
        import numpy
        a = numpy.ones((2500, 2500))
        while True:
            a = a @ a
