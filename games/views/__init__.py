"""The part of each game that runs inside the jail, as source text (games/sandbox/CONTRACT.md)."""
