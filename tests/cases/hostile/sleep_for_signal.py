class Policy:
    """Hostile: sleep for signal."""

    def act(self, obs):
        import signal
        signal.pause()
        return obs["legal_actions"][0]
