"""Plans of compactions and prunings: where the path is cut, which entries are kept, how large the result is.

Contains the plans and the computed facts of summaries. Nothing here writes an entry.
"""
