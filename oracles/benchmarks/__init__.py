"""What the oracles find with equal means (``./csro bench evolution``)."""
