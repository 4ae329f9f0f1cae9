"""The archive in SQLite, through peewee. Rows never leave this package."""
