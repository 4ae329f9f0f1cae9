"""Settings, shortcuts, connections, models and tool servers as dialogs and pages.

Owns the forms; never the settings file.
"""
