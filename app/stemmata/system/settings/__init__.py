"""The settings file: read with line and column of each problem, written without losing a comment.

Owns the file and its schema; never what a setting does.
"""
