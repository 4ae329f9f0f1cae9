"""Sessions and their trees: list, open, branch, fork, compare, export, drafts.

Owns the verbs of the tree; never sends a request.
"""
