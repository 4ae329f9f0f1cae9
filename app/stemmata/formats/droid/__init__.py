"""Factory Droid: a log of messages per session, in the form of Anthropic's API.

This package reads the logs. It writes none.
"""
