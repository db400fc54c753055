class Policy:
    """Hostile: use a descriptor that was left open."""

    def act(self, obs):
        import os
        for fd in range(1024):
            try:
                os.fstat(fd)
            except OSError:
                continue
            if fd not in (1, 2, 3, 4):
                raise RuntimeError("found descriptor %d" % fd)
        return obs["legal_actions"][0]
