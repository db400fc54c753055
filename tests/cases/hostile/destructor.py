class Policy:
    """Hostile: a destructor that never ends."""

    def __del__(self):
        while True:
            pass

    def act(self, obs):
        self.act = None
        for value in list(globals()):
            if value not in ("Policy", "__builtins__"):
                del globals()[value]
        return obs["legal_actions"][0]
