class Policy:
    """Hostile: traceback huge."""

    def act(self, obs):
        raise ValueError("x\x00\x1b[2J" * (1 << 22))
