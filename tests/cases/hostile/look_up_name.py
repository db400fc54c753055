class Policy:
    """Hostile: look up name."""

    def act(self, obs):
        import socket
        socket.getaddrinfo("example.com", 80)
        return obs["legal_actions"][0]
