"""Gemini CLI: a log of messages in which later records change, rewind or replace earlier ones.

This package reads the logs and the older documents. It writes none.
"""
