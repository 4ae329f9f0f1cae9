"""VS Code chat: a session is a log of changes to one document, or the document itself.

This package reads both and replays the log, so that requests which a later change cut off stay as branches. It
writes none.
"""
