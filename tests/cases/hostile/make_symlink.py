class Policy:
    """Hostile: make symlink."""

    def act(self, obs):
        import os
        os.symlink("/etc/passwd", "/tmp/big")
        return obs["legal_actions"][0]
