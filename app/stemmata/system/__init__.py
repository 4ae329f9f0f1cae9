"""The machine: folders, settings, secrets, logs."""
