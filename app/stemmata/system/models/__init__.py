"""The shipped catalogue of models, and cached model lists of servers. This package does not access the network."""
