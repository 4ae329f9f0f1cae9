"""Cline, Roo Code and Kilo Code: a document with the messages of a task, which the tool rewrites when it changes.

This package reads the tasks of their extensions for editors, and the sessions of Cline's command-line program. It
writes none.
"""
