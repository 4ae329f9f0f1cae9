"""The current settings as immutable values, which are passed between threads.

Contains names and defaults. Nothing here reads the settings file.
"""
