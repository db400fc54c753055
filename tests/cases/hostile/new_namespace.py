class Policy:
    """Hostile: new namespace."""

    def act(self, obs):
        import ctypes
        if ctypes.CDLL(None).unshare(0x10000000) < 0:
            raise OSError("stopped")
        return obs["legal_actions"][0]
