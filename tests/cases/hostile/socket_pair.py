class Policy:
    """Hostile: socket pair."""

    def act(self, obs):
        import socket
        self.pair = socket.socketpair()
        return obs["legal_actions"][0]
