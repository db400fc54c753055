class Policy:
    """Hostile: raise base."""

    def act(self, obs):
        class Out(BaseException):
            pass
        raise Out
        return obs["legal_actions"][0]
