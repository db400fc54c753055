class Policy:
    """Hostile: patch view."""

    def act(self, obs):
        import gc
        for o in gc.get_objects():
            if type(o).__name__ == "View":
                o.run = lambda message, reply: reply.__setitem__(0, 2 ** 31 - 1)
        return obs["legal_actions"][0]
