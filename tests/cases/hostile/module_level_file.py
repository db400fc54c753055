SECRET = open("/tmp/canary").read()


class Policy:
    """Hostile: module level file."""

    def act(self, obs):
        return obs["legal_actions"][0]
