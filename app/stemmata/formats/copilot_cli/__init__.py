"""Copilot CLI: a log of events per session; a rewind rewrites the log without the dropped turns.

This package reads the logs, and the transcripts that Copilot in VS Code writes in the same form. It writes none.
"""
