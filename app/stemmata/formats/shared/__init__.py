"""What every reader uses: lines, JSON values, source files, and the graph of lines.

Owns untrusted input; never the meaning of a tool's record.
"""
