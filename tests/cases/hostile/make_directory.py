class Policy:
    """Hostile: make directory."""

    def act(self, obs):
        import os
        os.mkdir("/tmp/big")
        return obs["legal_actions"][0]
