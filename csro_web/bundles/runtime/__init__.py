"""What is copied into every bundle's package; nothing here may need more than Python itself."""
