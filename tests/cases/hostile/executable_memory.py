class Policy:
    """Hostile: executable memory."""

    def act(self, obs):
        import mmap
        code = mmap.mmap(-1, 4096, prot=7)
        code.write(b"\xc3")
        return obs["legal_actions"][0]
