class Policy:
    """Hostile: stop itself."""

    def act(self, obs):
        import os
        import signal
        os.kill(os.getpid(), signal.SIGSTOP)
        return obs["legal_actions"][0]
