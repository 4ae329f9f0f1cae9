"""Colours, fonts, icons and sizes: the one place that knows how Stemmata looks."""
