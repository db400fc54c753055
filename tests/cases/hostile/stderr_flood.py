class Policy:
    """Hostile: stderr flood."""

    def act(self, obs):
        import sys
        while True:
            sys.stderr.write("x" * 65536)
