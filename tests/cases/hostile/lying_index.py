class Liar:
    def __index__(self):
        return 2 ** 70

    def __eq__(self, other):
        return True

    __hash__ = None


class Policy:
    """Hostile: lying index."""

    def act(self, obs):
        return Liar()
