"""Amp: a document for each thread, written anew while Amp works. Newer versions keep threads on a server.

This package reads the documents, and those that Amp exports. It writes none.
"""
