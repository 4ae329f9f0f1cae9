"""The settings file: problems are reported with line and column, and changes keep comments.

This package owns the file and its schema; other modules apply the settings.
"""
