class Policy:
    """Hostile: flood socket."""

    def act(self, obs):
        import os
        while True:
            os.write(3, bytes(1 << 16))
