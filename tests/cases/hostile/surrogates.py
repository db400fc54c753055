class Policy:
    """Hostile: surrogates."""

    def act(self, obs):
        print("\ud800" * 100)
        raise ValueError("\udfff")
        return obs["legal_actions"][0]
