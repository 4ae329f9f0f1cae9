"""The checkpoints of source files: how far each file was read.

Never reads a source file.
"""
