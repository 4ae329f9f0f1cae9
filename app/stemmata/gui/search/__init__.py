"""The search in all sessions: a field with filters above the hits, grouped by session.

This room shows hits and says which one is chosen, and prepares new texts for the search by meaning. Opening the
session, and finding inside it, belong to other rooms.
"""
