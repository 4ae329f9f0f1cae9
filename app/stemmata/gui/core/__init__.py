"""Used by every feature of the window: actions, the bridge from other threads, the open session, pages of rows.

Owns the flow into the GUI thread; never paints.
"""
