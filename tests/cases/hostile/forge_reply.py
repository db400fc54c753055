class Policy:
    """Hostile: forge reply."""

    def act(self, obs):
        import os
        os.write(3, b"\x00\x00\x00\x00" * 1000)
        return obs["legal_actions"][0]
