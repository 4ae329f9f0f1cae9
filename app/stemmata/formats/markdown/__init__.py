"""Export of a path as a Markdown document.

Owns the document; never lets foreign text become markup.
"""
