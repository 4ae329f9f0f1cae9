"""The window: its columns, its controllers, and the program around it.

It arranges and connects the features, and contains no feature itself.
"""
