"""The compaction workbench: preview, summary, accept, undo.

Owns the preview in the window; never the plan.
"""
