"""Sessions as the archive lists them: their facts, titles, origin, lineage, and the steps and changes of them.

The entries of a session are in `domain/entries`.
"""
