"""The column of sessions: list, filter, tags, deletion. Other packages open the chosen session."""
