"""Prints what becomes of each record of the session files in a folder, as a table in Markdown.

python -m tests.accounts FOLDER… [--kinds]

Each file is copied and imported. A record is a line of a log, a message of a document, or a row of a database; it is
an entry, a part of one, skipped with a reason, or bookkeeping of a named kind. Any other one is unaccounted for.
Files that hold no session are listed with the reason. A dump of a database (`.sql`) is loaded first.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.accounts.accounts import FileAccount, accounts_of

_HEADS = (
    "file", "format", "sessions", "records", "entries", "bookkeeping", "skipped", "unaccounted", "branches, tool",
    "branches, here", "tokens", "model", "from", "to",
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.accounts", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--kinds", action="store_true", help="list the kinds of bookkeeping and the reasons")
    options = parser.parse_args()
    found = [one for folder in options.folders for one in accounts_of(folder)]
    read = [one for one in found if not one.refused]
    _say(f"| {' | '.join(_HEADS)} |")
    _say("|" + "---|" * len(_HEADS))
    for one in read:
        _say(f"| {' | '.join(_cells(one))} |")
    _say(_totals(read))
    refused = [one for one in found if one.refused]
    if refused:
        _say("\nFiles that hold no session:\n")
        for one in refused:
            _say(f"- `{one.name}`: {one.refused}")
    if options.kinds:
        _kinds(read)
    lost = [f"{one.name}: {what}" for one in read for what in one.lost]
    for line in lost:
        _say(f"unaccounted for: {line}")
    return 1 if lost else 0


def _cells(one: FileAccount) -> Iterable[str]:
    yield f"`{one.name}`"
    yield one.format
    yield f"{one.sessions:,}"
    yield f"{one.records:,}"
    yield f"{one.entries:,}"
    yield f"{one.bookkeeping.total():,}"
    yield f"{len(one.skipped):,}"
    yield f"{len(one.lost):,}"
    yield f"{one.shown_branches:,}"
    yield f"{one.branches:,}"
    yield f"{one.tokens:,}" if one.tokens else "—"
    yield ", ".join(one.models) or "—"
    yield one.start or "—"
    yield one.end or "—"


def _totals(read: list[FileAccount]) -> str:
    return (
        f"\n{len(read)} files, {sum(one.sessions for one in read):,} sessions, {sum(one.records for one in read):,}"
        f" records, {sum(one.entries for one in read):,} entries, {sum(one.shown_branches for one in read):,}"
        f" branches visible in their tools, {sum(one.branches for one in read):,} here,"
        f" {sum(len(one.skipped) for one in read):,} records skipped with a reason,"
        f" {sum(len(one.lost) for one in read):,} unaccounted for."
    )


def _kinds(read: list[FileAccount]) -> None:
    _say("\nBookkeeping and skipped records:\n")
    for one in read:
        parts = [f"{kind} × {number}" for kind, number in one.bookkeeping.most_common()]
        parts += [f"skipped: {reason}" for reason in one.skipped]
        if parts:
            _say(f"- `{one.name}`: {'; '.join(parts)}")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
