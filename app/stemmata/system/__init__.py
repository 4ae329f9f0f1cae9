"""The machine: folders, settings file, keyring, logs, the io loop.

Owns access to the operating system; never a rule of the product.
"""
