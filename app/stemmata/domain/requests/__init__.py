"""Requests: the projection as messages that a provider accepts, in the form of each API.

Owns normalising and the payload of each API; never sends anything.
"""
