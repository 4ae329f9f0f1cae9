"""What the process says at its end, as `docs/command-line.md` tells."""

DONE, KNOWN_ERROR, USAGE = 0, 1, 2
PARTLY = 3  # some of the input was passed over
