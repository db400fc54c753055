import sys


class Policy:
    """Hostile: climb the frames to the harness and answer on its behalf."""

    def act(self, obs):
        frame = sys._getframe()
        while frame is not None:
            for value in frame.f_locals.values():
                if type(value).__name__ == "array":
                    value[0] = 77
            frame = frame.f_back
        return obs["legal_actions"][0]
