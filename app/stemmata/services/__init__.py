"""Use cases over ports. Owns no technology: bootstrap hands in the archive, the formats and the clock."""
