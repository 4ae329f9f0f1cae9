"""The digest: a summary that is computed from the entries, without a model.

Owns its sections and its layout; never calls a model.
"""
