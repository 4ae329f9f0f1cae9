"""The comparison of two branches: aligned turns and differing figures.

Computes the comparison; the window paints it.
"""
