class Policy:
    """Hostile: descriptor flood."""

    def act(self, obs):
        import os
        while True:
            os.write(1, b"x" * 65536)
