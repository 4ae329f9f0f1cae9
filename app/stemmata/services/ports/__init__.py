"""The interfaces that the use cases need from the archive, the formats, the providers and the settings file.

This room owns protocols only. It holds no implementation.
"""
