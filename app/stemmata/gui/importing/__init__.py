"""Importing in the window: the welcome page, the import dialog, the report. The services read the files."""
