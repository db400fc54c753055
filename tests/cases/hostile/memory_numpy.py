class Policy:
    """Hostile: memory numpy."""

    def act(self, obs):
        import numpy
        self.hoard = [numpy.ones(1 << 27) for _ in range(64)]
        return obs["legal_actions"][0]
