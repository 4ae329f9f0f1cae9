"""Totals, deletion, integrity checks and repair.

Owns what keeps an archive sound; never a new entry.
"""
