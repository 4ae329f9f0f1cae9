"""The rules of the product as pure functions and values: trees, contexts, plans, requests.

Uses the standard library only; never reads a file, a clock or a network, and never starts a thread.
"""
