"""Reading and writing the session files of other tools, one folder for each tool.

Sources are only read; nothing here knows the archive.
"""
