class Policy:
    """Hostile: recursion swallowing."""

    def act(self, obs):
        def deeper():
            try:
                deeper()
            finally:
                deeper()
        deeper()
        return obs["legal_actions"][0]
