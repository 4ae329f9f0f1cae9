"""Rich text: Markdown, highlighting, documents that load nothing.

Owns what Qt's text engine is given; never where it stands.
"""
