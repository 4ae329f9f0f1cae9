"""The network. SDKs are imported here and only inside functions."""
