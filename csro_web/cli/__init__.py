"""The command line behind ``./csro``. Commands load what they need only when they are called."""
