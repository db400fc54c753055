"""Geometry of the run charts: pure functions from numbers to positions; templates draw the SVG."""
