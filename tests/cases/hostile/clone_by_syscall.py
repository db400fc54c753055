class Policy:
    """Hostile: clone by syscall."""

    def act(self, obs):
        import ctypes
        if ctypes.CDLL(None).fork() < 0:
            raise OSError("stopped")
        return obs["legal_actions"][0]
