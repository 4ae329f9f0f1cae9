"""The navigator: shows a session's tree as a lane graph, and moves the leaf in it.

Owns model, view, controller and words; never the lanes, which the domain computes.
"""
