class Liar(int):
    def __eq__(self, other):
        while True:
            pass

    __hash__ = int.__hash__


class Policy:
    """Hostile: looping equality."""

    def act(self, obs):
        return Liar(1)
