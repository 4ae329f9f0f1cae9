"""Compaction and pruning from preview to undo, and the writers of summaries.

This room owns the entries that result. It never makes the plan, which is pure and belongs to `domain/compaction`.
"""
