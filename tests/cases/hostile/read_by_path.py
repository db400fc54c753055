class Policy:
    """Hostile: read by path."""

    def act(self, obs):
        import pathlib
        pathlib.Path("/tmp/canary").read_bytes()
        return obs["legal_actions"][0]
