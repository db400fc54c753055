class Policy:
    """Hostile: memory doubling."""

    def act(self, obs):
        hoard = ["x"]
        while True:
            hoard *= 2
