"""Copilot CLI: a log of events per session, which a rewind writes anew without the turns that it drops.

This package reads the logs, and the transcripts that Copilot in VS Code writes in the same form. It writes none.
"""
