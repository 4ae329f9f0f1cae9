"""pi sessions, versions 1 to 3: read, and written back byte for byte.

Owns the record types of pi; never the folders of OpenClaw.
"""
