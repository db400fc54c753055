class Policy:
    """Hostile: http."""

    def act(self, obs):
        import urllib.request
        urllib.request.urlopen("http://127.0.0.1:5432/", timeout=1)
        return obs["legal_actions"][0]
