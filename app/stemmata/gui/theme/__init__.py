"""Colours, fonts, icons and sizes. Every literal of the visual design is in this package."""
