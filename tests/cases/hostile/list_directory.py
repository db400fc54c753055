class Policy:
    """Hostile: list directory."""

    def act(self, obs):
        import os
        assert os.listdir("/tmp")
        return obs["legal_actions"][0]
