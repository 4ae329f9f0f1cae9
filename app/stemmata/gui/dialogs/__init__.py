"""Dialogs and panels over the window."""
