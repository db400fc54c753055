class Policy:
    """Hostile: sleep on pipe."""

    def act(self, obs):
        import os
        read, write = os.pipe()
        os.read(read, 1)
        return obs["legal_actions"][0]
