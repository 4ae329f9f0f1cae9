"""Summaries as text: their sections, the prompts that request them, and the form in which a model reads entries.

Contains the wording and the checks. Nothing here calls a model.
"""
