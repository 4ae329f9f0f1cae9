"""Rich text: Markdown, syntax highlighting, and documents that load no resources.

This package prepares the input of Qt's text engine; other packages lay the documents out.
"""
