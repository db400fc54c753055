"""A whole run in one terminal: ``./csro solve``."""
