class Policy:
    """Hostile: ignore limits."""

    def act(self, obs):
        import resource
        import signal
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_CPU, (-1, -1))
        return obs["legal_actions"][0]
