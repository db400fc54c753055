class Policy:
    """Hostile: write numpy."""

    def act(self, obs):
        import numpy
        numpy.zeros(1 << 20).tofile("/tmp/big")
        return obs["legal_actions"][0]
