class Policy:
    """Hostile: loop in constructor."""

    def __init__(self, player, num_players, game, seed):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass

    def act(self, obs):
        return obs["legal_actions"][0]
