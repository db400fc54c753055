while True:
    pass


class Policy:
    """Hostile: loop at import."""

    def act(self, obs):
        return obs["legal_actions"][0]
