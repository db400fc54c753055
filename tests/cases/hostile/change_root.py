class Policy:
    """Hostile: change root."""

    def act(self, obs):
        import os
        os.chroot("/tmp")
        return obs["legal_actions"][0]
