class Policy:
    """Hostile: memory swallowing."""

    def act(self, obs):
        hoard = []
        while True:
            try:
                hoard.append(bytearray(1 << 24))
            except MemoryError:
                pass
