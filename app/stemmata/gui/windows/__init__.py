"""The window and what wires its columns to the services, one subject a file."""
