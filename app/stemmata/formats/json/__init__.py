"""Export of a whole session as one JSON document. This package does not read such documents."""
