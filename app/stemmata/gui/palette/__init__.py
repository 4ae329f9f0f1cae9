"""The command palette: actions, sessions and full text in one field.

Owns the lines and their order; never an action's effect.
"""
