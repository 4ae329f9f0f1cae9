"""Totals, deletion, integrity checks and repair.

Owns checks, repairs and totals; never adds entries.
"""
