class Policy:
    """Hostile: coroutine answer."""

    def act(self, obs):
        async def later():
            return 0
        return later()
