"""The printable report of a bundle: one HTML file that loads nothing and runs nothing."""
