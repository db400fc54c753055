"""Reference opponents."""
