class Policy:
    """Hostile: netlink."""

    def act(self, obs):
        import socket
        socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
        return obs["legal_actions"][0]
