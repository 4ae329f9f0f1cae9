"""A person who does anything at all in the window, from a seed; see `tests/journeys/test_monkey.py`."""
