def victim():
    return 0


class Policy:
    """Hostile: bytecode that no compiler writes."""

    def act(self, obs):
        code = victim.__code__
        victim.__code__ = code.replace(co_code=bytes([100, 255]) * 50 + bytes([83, 0]))
        return victim()
