class Policy:
    """Hostile: stop parent."""

    def act(self, obs):
        import os
        import signal
        os.kill(os.getppid(), signal.SIGSTOP)
        return obs["legal_actions"][0]
