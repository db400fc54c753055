class Policy:
    """Hostile: load library."""

    def act(self, obs):
        import ctypes
        ctypes.CDLL("libcrypt.so.1")
        return obs["legal_actions"][0]
