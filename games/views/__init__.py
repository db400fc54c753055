"""The part of each game that runs inside the jail, as source text (docs/explanation/sandbox.md)."""
