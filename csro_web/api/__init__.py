"""What programs may read and ask for, under ``/api/v1/``, with a token."""
