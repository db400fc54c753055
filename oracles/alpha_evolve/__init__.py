"""AlphaEvolve (Novikov et al. 2025, arXiv:2506.13131) as an oracle of CSRO.

A program database of islands, each with a MAP-Elites archive; parents by fitness and novelty;
staged evaluation. All of it follows from the step results (docs/explanation/evolution.md).
"""

from oracles.alpha_evolve.evolution import AlphaEvolve

__all__ = ["AlphaEvolve"]
