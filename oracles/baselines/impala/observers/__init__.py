"""What the network sees of each game. The text of these modules is part of every trained program,
so each is self-contained; training reads the same functions (:mod:`..messages`)."""
