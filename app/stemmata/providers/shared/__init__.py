"""What all providers share: one request and its stream, faults in plain words, questions about models.

Owns the errors of the network; never the form of one API.
"""
