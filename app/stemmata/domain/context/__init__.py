"""What a model sees at an entry, what became of every other entry, and what each part weighs.

Owns the projection, the breakdown and the budget; never changes a tree.
"""
