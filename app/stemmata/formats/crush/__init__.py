"""Crush: a database for each project, with sessions, the sessions of their subagents, and summaries.

This package reads the database without changing it. It writes none.
"""
