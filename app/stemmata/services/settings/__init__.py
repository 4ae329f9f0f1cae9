"""Connections, models and preferences: read, tried out, changed.

Owns the use cases of the settings dialog; never the file.
"""
