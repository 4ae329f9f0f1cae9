"""The archive in SQLite.

Returns domain values only: rows and peewee models never leave this package.
"""
