class Policy:
    """Hostile: abstract socket."""

    def act(self, obs):
        import socket
        socket.socket(socket.AF_UNIX).connect("\0canary")
        return obs["legal_actions"][0]
