"""The shipped catalogue of models, and what servers told about theirs.

Owns those files; never asks a server.
"""
