"""Importing in the window: the welcome page, the dialog, the report.

Owns the progress that is shown; never reads a file.
"""
