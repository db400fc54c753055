"""Everything that plays: games, opponents, the sandbox, the referee and its statistics.

This package imports neither Django nor :mod:`oracles` and can be used from a notebook.
"""
