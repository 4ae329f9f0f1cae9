"""The interfaces that the use cases need from the archive, the formats, the providers and the settings file.

Owns protocols only; never holds an implementation.
"""
