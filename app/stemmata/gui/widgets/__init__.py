"""Widgets that several features use.

This room owns their appearance and accessibility. It never calls a service.
"""
