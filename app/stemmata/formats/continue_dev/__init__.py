"""Continue: a JSON file for each session, which the extension and the command-line program rewrite.

This package reads these files. It writes none.
"""
