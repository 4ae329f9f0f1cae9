"""Watch folders for changes. This package owns the watching thread; it does not read sessions."""
