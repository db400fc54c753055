class Policy:
    """Hostile: renice."""

    def act(self, obs):
        import os
        os.setpriority(os.PRIO_PROCESS, 0, -20)
        os.sched_setaffinity(0, {0})
        return obs["legal_actions"][0]
