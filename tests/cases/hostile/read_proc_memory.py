class Policy:
    """Hostile: read proc memory."""

    def act(self, obs):
        open("/proc/self/mem", "rb").read(1)
        return obs["legal_actions"][0]
