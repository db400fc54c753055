class Policy:
    """Hostile: close descriptors."""

    def act(self, obs):
        import os
        os.closerange(0, 1024)
        return obs["legal_actions"][0]
