"""The schema as ordered migrations, and the backups before each.

Owns the steps; never edits a released one.
"""
