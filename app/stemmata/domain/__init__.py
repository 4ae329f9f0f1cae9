"""Pure rules: entries, trees, projection, compaction. Standard library only; no I/O, no clock, no threads."""
