class Policy:
    """Hostile: sys exit."""

    def act(self, obs):
        import sys
        sys.exit(0)
        return obs["legal_actions"][0]
