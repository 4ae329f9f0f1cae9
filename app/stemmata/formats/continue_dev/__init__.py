"""Continue: a JSON file for each session, which the extension and the command-line program write anew.

This package reads these files. It writes none.
"""
