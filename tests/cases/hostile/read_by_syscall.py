class Policy:
    """Hostile: read by syscall."""

    def act(self, obs):
        import ctypes
        fd = ctypes.CDLL(None).open(b"/tmp/canary", 0)
        if fd < 0:
            raise OSError("stopped")
        return obs["legal_actions"][0]
