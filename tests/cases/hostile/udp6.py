class Policy:
    """Hostile: udp6."""

    def act(self, obs):
        import socket
        socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b"x", ("::1", 53))
        return obs["legal_actions"][0]
