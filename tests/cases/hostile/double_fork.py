class Policy:
    """Hostile: double fork."""

    def act(self, obs):
        import os
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                while True:
                    pass
            os._exit(0)
        return obs["legal_actions"][0]
