"""Runs: send a message, stream the reply, answer tool calls, and store all of it.

This room owns the life of a run. It never draws anything and knows no wire format.
"""
