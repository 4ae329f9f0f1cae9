"""The database file, its thread, the models of the tables and the conversion of text.

Owns the connection; never knows a use case.
"""
