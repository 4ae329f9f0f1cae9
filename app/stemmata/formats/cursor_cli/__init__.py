"""Cursor's transcripts: a line for each message of its agent, without ids or times.

This package reads the transcripts of the command-line program and of the editor. It writes none.
"""
