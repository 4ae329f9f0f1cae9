"""Full-text search over the archive, with the scopes of the tree.

This room owns scopes and hits. It never touches the index: `store/search` does.
"""
