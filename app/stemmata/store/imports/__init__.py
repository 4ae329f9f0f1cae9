"""How far each source file was read.

Owns the checkpoints; never reads a source file.
"""
