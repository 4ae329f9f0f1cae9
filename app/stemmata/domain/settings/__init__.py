"""The settings in force, as values that cross threads.

Owns names and defaults; never reads the settings file.
"""
