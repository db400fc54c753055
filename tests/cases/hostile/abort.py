class Policy:
    """Hostile: abort."""

    def act(self, obs):
        import os
        os.abort()
        return obs["legal_actions"][0]
