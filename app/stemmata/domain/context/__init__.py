"""The context at an entry: what the model is sent, why other entries are not sent, and the size of each part.

Contains the projection, the breakdown and the budget. Nothing here changes a tree.
"""
