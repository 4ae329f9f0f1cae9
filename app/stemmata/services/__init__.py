"""The use cases of the window and the command line.

Knows the archive, the formats and the providers by their ports only; never imports Qt, SQLite or an SDK.
"""
