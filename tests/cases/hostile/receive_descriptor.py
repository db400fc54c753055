class Policy:
    """Hostile: receive descriptor."""

    def act(self, obs):
        import socket
        socket.recv_fds(socket.socket(fileno=3), 1, 1)
        return obs["legal_actions"][0]
