class Policy:
    """Hostile: control characters."""

    def act(self, obs):
        print("\x1b]0;owned\x07\x00\u202e</script><script>alert(1)</script>")
        return obs["legal_actions"][0]
