class Policy:
    """Hostile: read c environment."""

    def act(self, obs):
        import ctypes
        environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
        assert environ[0] and b"SECRET" in environ[0]
        return obs["legal_actions"][0]
