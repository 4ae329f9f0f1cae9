"""pi sessions of versions 1 to 3: read, and exported byte for byte.

This package owns pi's record types; OpenClaw's folders belong to the package `openclaw`.
"""
