"""Widgets that several features use.

Owns looks and accessibility; never asks a service.
"""
