"""Connections, models and preferences: read, test and change them.

This room owns the use cases of the settings dialog. It never touches the file: `system/settings` does.
"""
