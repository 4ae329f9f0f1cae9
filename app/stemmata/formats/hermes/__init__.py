"""Hermes' database of sessions, with undone turns as branches and compactions.

Owns the reading of the database; it is never written.
"""
