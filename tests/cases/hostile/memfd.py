class Policy:
    """Hostile: memfd."""

    def act(self, obs):
        import os
        self.fd = os.memfd_create("hoard")
        os.write(self.fd, bytes(1 << 20))
        return obs["legal_actions"][0]
