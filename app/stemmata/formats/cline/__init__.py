"""Cline, Roo Code and Kilo Code: a document with the messages of a task, written anew when it changes.

This package reads the tasks of their extensions for editors, and the sessions of Cline's command-line program. It
writes none.
"""
