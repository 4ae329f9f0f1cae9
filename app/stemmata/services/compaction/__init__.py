"""Compaction and pruning from preview to undo, and who writes the summary.

Owns the entries that result; never the plan, which is pure and in the domain.
"""
