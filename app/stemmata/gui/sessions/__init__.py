"""The column of sessions: list, filter, tags, deletion.

Owns model, view, delegate, controller and words of the list; never opens a transcript itself.
"""
