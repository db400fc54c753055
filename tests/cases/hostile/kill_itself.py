class Policy:
    """Hostile: kill itself."""

    def act(self, obs):
        import os
        os.kill(os.getpid(), 9)
        return obs["legal_actions"][0]
