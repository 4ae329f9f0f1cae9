"""Builds the packages of Stemmata: `./packaging/dev package KIND`."""
