"""Runs: messages in, requests out, replies and tool results into the archive.

Owns the life of a run; never draws anything and never speaks a wire format.
"""
