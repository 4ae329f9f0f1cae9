"""Colours, fonts, icons and sizes.

Owns every literal of the design; never a widget of a feature.
"""
