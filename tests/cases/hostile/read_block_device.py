class Policy:
    """Hostile: read block device."""

    def act(self, obs):
        open("/dev/vda", "rb").read(512)
        return obs["legal_actions"][0]
