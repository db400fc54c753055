class Policy:
    """Hostile: shared memory."""

    def act(self, obs):
        from multiprocessing import shared_memory
        self.block = shared_memory.SharedMemory(create=True, size=1 << 24)
        return obs["legal_actions"][0]
