"""The context column: the breakdown, the largest entries, cache figures, and the chart of the context over time.

This room owns how context figures are displayed. It never computes a figure: the services do.
"""
