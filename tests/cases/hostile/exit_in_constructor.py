import os


class Policy:
    """Hostile: exit in constructor."""

    def __init__(self, player, num_players, game, seed):
        os._exit(3)

    def act(self, obs):
        return obs["legal_actions"][0]
