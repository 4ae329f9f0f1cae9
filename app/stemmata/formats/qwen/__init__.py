"""Qwen Code: a log of records per session that name the record before them, so a session is a tree.

This package reads the logs, and the files that older versions wrote in Gemini CLI's form. It writes none.
"""
