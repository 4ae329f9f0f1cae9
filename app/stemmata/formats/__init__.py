"""Read and write the session files of other tools: one folder for each tool.

Source files are opened for reading only. This package does not import the store.
"""
