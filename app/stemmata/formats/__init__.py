"""Foreign session formats: one module each, reader and, where it exists, writer."""
