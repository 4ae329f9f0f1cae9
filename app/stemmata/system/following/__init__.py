"""Folders that are watched for changes.

Owns the watching thread; never reads a session.
"""
