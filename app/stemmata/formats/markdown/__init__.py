"""Export of a path as a Markdown document. Text from sessions never becomes active markup."""
