class Policy:
    """Hostile: unix datagram."""

    def act(self, obs):
        import socket
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", "/tmp/canary.datagram")
        return obs["legal_actions"][0]
