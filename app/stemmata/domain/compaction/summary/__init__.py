"""Summaries as text: their sections, the prompts that ask for them, and what a model reads of the entries.

Owns the wording and the checks; never calls a model.
"""
