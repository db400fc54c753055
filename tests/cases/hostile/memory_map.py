class Policy:
    """Hostile: memory map."""

    def act(self, obs):
        import mmap
        self.hoard = [mmap.mmap(-1, 1 << 30) for _ in range(64)]
        return obs["legal_actions"][0]
