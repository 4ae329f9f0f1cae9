"""Code that every reader uses: lines, JSON values, source files, and the graph of lines.

These modules handle untrusted input; they do not interpret a tool's records.
"""
