class Policy:
    """Hostile: deep recursion."""

    def act(self, obs):
        import sys
        sys.setrecursionlimit(10 ** 9)
        def deeper():
            return [deeper()]
        deeper()
        return obs["legal_actions"][0]
