class Policy:
    """Hostile: forge tracebacks."""

    def act(self, obs):
        import os
        for _ in range(100):
            os.write(4, b"9999999999999:\xff\x1b[2J\x00" * 1000)
        return obs["legal_actions"][0]
