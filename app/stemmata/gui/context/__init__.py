"""The context column: breakdown, largest entries, cache, the time machine.

Owns how figures are shown; never computes one.
"""
