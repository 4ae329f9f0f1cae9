"""Values of chatting: connections, models and prices, tool servers, the state of a run, the events of a stream.

Owns the values; never holds a connection open.
"""
