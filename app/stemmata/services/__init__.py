"""The use cases: what the window and the command line ask for.

Knows the archive, the formats and the providers by their ports only; never imports Qt, SQLite or an SDK.
"""
