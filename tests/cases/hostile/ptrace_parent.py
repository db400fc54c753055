class Policy:
    """Hostile: ptrace parent."""

    def act(self, obs):
        import ctypes
        import os
        if ctypes.CDLL(None, use_errno=True).ptrace(16, os.getppid(), 0, 0) < 0:
            raise OSError("stopped")
        return obs["legal_actions"][0]
