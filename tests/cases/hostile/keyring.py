class Policy:
    """Hostile: keyring."""

    def act(self, obs):
        import ctypes
        if ctypes.CDLL(None).syscall(250, 0, -3, 1) < 0:
            raise OSError("stopped")
        return obs["legal_actions"][0]
