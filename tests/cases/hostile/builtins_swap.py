class Policy:
    """Hostile: builtins swap."""

    def act(self, obs):
        import builtins
        builtins.len = builtins.isinstance = builtins.type = lambda *a: 0
        return obs["legal_actions"][0]
