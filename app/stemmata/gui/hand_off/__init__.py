"""Continuing a session in another tool: the hand-off dialog and the resume commands. Services write the files."""
