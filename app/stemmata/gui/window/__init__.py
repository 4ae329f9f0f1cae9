"""The window: its columns, its controllers, and the program around it.

Owns how the features stand together; never the inside of one.
"""
