"""Kiro CLI: a log of messages per session, with a file of facts beside it.

This package reads the logs. It writes none.
"""
