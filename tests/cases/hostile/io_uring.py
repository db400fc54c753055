class Policy:
    """Hostile: io uring."""

    def act(self, obs):
        import ctypes
        if ctypes.CDLL(None).syscall(425, 8, ctypes.create_string_buffer(120)) < 0:
            raise OSError("stopped")
        return obs["legal_actions"][0]
