"""Everything that writes policies: the CSRO loop, its oracles and its writers.

This package imports :mod:`games` and never Django; it can be used from a notebook.
"""
