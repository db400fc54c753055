class Policy:
    """Hostile: posix spawn."""

    def act(self, obs):
        import os
        os.posix_spawn("/bin/sh", ["sh", "-c", "sleep 1000"], {})
        return obs["legal_actions"][0]
