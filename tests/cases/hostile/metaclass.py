import sys


class Meta(type):
    def __call__(cls, *args):
        sys.stdout = sys.stderr = None
        raise KeyboardInterrupt


class Policy(metaclass=Meta):
    """Hostile: metaclass."""

    def act(self, obs):
        return obs["legal_actions"][0]
