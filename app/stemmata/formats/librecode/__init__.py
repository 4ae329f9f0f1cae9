"""librecode: a database of sessions whose entries are a tree.

This package reads the database without changing it or bringing it to a newer version. It writes none.
"""
