class Policy:
    """Hostile: patch json."""

    def act(self, obs):
        import json
        import struct
        json.loads = struct.Struct.unpack_from = None
        return obs["legal_actions"][0]
