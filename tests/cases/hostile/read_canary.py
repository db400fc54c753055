class Policy:
    """Hostile: read canary."""

    def act(self, obs):
        open("/tmp/canary").read()
        return obs["legal_actions"][0]
