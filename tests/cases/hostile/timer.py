class Policy:
    """Hostile: timer."""

    def act(self, obs):
        import signal
        signal.signal(signal.SIGALRM, lambda *a: None)
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        return obs["legal_actions"][0]
