"""The compaction workbench: preview, summary, accept, undo.

This room owns the preview in the window. It never makes the plan: `services/compaction` does.
"""
