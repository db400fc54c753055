class Policy:
    """Hostile: raw socket."""

    def act(self, obs):
        import socket
        socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)
        return obs["legal_actions"][0]
