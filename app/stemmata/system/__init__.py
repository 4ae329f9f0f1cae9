"""Access to the operating system: folders, settings file, keyring, logs, processes, and the io loop.

This package contains no rules of the product.
"""
