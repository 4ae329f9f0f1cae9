"""The digest: a summary that is computed from the entries, without a model.

Contains its sections and its layout. Nothing here calls a model.
"""
