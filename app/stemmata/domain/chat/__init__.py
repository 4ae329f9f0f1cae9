"""Values of chatting: connections, models and prices, tool servers, the state of a run, the events of a stream.

Contains only values. Nothing here opens a connection.
"""
