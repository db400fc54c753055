class Policy:
    """Hostile: process pool."""

    def act(self, obs):
        import multiprocessing
        process = multiprocessing.Process(target=print)
        process.start()
        return obs["legal_actions"][0]
