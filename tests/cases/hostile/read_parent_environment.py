class Policy:
    """Hostile: read parent environment."""

    def act(self, obs):
        import os
        open(f"/proc/{os.getppid()}/environ", "rb").read()
        return obs["legal_actions"][0]
