"""Requests: the projection as messages that a provider accepts, in the form of each API.

Contains the normalising of messages and the payload of each API. Nothing here sends a request.
"""
