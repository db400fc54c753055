class Policy:
    """Hostile: sleep on lock."""

    def act(self, obs):
        import threading
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()
        return obs["legal_actions"][0]
