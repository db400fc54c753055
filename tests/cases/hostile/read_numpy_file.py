class Policy:
    """Hostile: read numpy file."""

    def act(self, obs):
        import numpy
        numpy.fromfile("/tmp/canary", dtype="u1")
        return obs["legal_actions"][0]
