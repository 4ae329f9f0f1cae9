"""The parts that all providers share: requests and streams, error messages, lists of models.

This room owns network errors. It knows no single API.
"""
