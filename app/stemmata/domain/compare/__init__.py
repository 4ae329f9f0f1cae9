"""Two branches beside each other: aligned turns and the figures that differ.

Owns the comparison; never how it is painted.
"""
