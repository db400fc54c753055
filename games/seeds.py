"""Where every number of a match comes from: one seed, an episode, and what the draw is for."""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class Stream(IntEnum):
    """What a seed of an episode is for. The values are part of the engine version."""

    CHANCE = 0
    PLAYER_A = 1
    PLAYER_B = 2
    COMPONENT_A = 3
    COMPONENT_B = 4
    PROCESS_A = 5
    PROCESS_B = 6


def episode_seed(match_seed: int, episode: int, stream: Stream) -> int:
    """A seed in [0, 2**63) that depends on these three alone."""
    sequence = np.random.SeedSequence(match_seed, spawn_key=(episode, int(stream)))
    return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))


def episode_uniform(match_seed: int, episode: int, stream: Stream) -> float:
    """A uniform number in [0, 1) that depends on these three alone."""
    return (episode_seed(match_seed, episode, stream) >> 10) / 2.0**53
