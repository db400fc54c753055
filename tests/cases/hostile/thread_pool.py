class Policy:
    """Hostile: thread pool."""

    def act(self, obs):
        from concurrent.futures import ThreadPoolExecutor
        self.pool = ThreadPoolExecutor()
        self.pool.submit(sum, iter(int, 1))
        return obs["legal_actions"][0]
