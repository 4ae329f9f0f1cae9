"""The rows that the branch navigator shows: turns, densities and the overview of a session.

Owns which rows there are; never how a row is painted.
"""
