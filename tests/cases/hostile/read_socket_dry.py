class Policy:
    """Hostile: read socket dry."""

    def act(self, obs):
        import os
        while True:
            os.read(3, 1 << 16)
