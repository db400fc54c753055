class Policy:
    """Hostile: sleep in select."""

    def act(self, obs):
        import select
        select.select([3], [], [])
        return obs["legal_actions"][0]
