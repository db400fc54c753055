class Policy:
    """Hostile: tcp listen."""

    def act(self, obs):
        import socket
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        return obs["legal_actions"][0]
