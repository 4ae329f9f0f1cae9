"""Full-text search over the archive, with the scopes of the tree.

Owns scopes and hits; never the index.
"""
