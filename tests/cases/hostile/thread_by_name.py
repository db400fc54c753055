class Policy:
    """Hostile: thread by name."""

    def act(self, obs):
        import _thread
        _thread.start_new_thread(lambda: [0 for _ in iter(int, 1)], ())
        return obs["legal_actions"][0]
