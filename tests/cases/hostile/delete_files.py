class Policy:
    """Hostile: delete files."""

    def act(self, obs):
        import os
        import shutil
        shutil.rmtree(os.path.dirname(os.__file__))
        os.unlink("/tmp/canary")
        return obs["legal_actions"][0]
