class Policy:
    """Hostile: read memory map."""

    def act(self, obs):
        import mmap
        import os
        mmap.mmap(os.open("/tmp/canary", os.O_RDONLY), 0, prot=mmap.PROT_READ)
        return obs["legal_actions"][0]
