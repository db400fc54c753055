class Policy:
    """Hostile: packet socket."""

    def act(self, obs):
        import socket
        socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        return obs["legal_actions"][0]
