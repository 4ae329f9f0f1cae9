"""Sessions and their trees: list, open, branch, fork, compare, export, drafts.

This room owns the operations on a session's tree. It never sends a request to a model.
"""
