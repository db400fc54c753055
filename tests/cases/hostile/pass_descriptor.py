class Policy:
    """Hostile: pass descriptor."""

    def act(self, obs):
        import socket
        socket.send_fds(socket.socket(fileno=3), [b"x"], [1])
        return obs["legal_actions"][0]
