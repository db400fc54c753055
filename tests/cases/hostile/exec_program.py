class Policy:
    """Hostile: exec program."""

    def act(self, obs):
        import os
        os.execv("/bin/sh", ["sh", "-c", "sleep 1000"])
        return obs["legal_actions"][0]
