"""Importing session files and following folders.

Owns the transaction for each file and the report; never parses a format itself.
"""
