"""Plans of compactions and prunings: where to cut, what is kept, and what it would bring.

Owns the plans and the computed facts of summaries; never writes an entry.
"""
