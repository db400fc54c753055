class Policy:
    """Hostile: kill group."""

    def act(self, obs):
        import os
        os.killpg(os.getpgrp(), 9)
        return obs["legal_actions"][0]
