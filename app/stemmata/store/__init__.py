"""The archive: one SQLite file, one thread that writes it. Others see `archive.SqliteArchive` alone."""
