class Bomb(Exception):
    def __str__(self):
        while True:
            pass


class Policy:
    """Hostile: an exception that never ends to describe itself."""

    def act(self, obs):
        raise Bomb
