"""Importing session files and following folders.

This room owns the transaction of each file and the report. It never parses a format: `formats` does.
"""
