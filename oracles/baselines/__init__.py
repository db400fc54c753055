"""Methods to compare with that no writer proposes programs for."""
