class Policy:
    """Hostile: subprocess shell."""

    def act(self, obs):
        import subprocess
        subprocess.run("touch /tmp/big; sleep 1000 &", shell=True, check=True)
        return obs["legal_actions"][0]
