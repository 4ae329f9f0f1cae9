"""The rows of the branch navigator: turns, densities and the overview of a session.

Decides which rows are shown; the window paints them.
"""
