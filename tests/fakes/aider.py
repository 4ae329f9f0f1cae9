"""Chat histories as Aider writes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stemmata.domain.entries.entry import Entry
from stemmata.domain.sources.reading import Begin, Raw, ReadEvent, UnusedPart
from stemmata.formats.aider.history import RUN_LIMIT, START

HISTORY = ".aider.chat.history.md"
START_LINES = ("Aider v0.86.2", "Main model: tea/sencha with diff edit format", "Git repo: .git with 2 files")


def run(at: str, *parts: str, start: Sequence[str] = START_LINES) -> str:
    """A run of the program that started at this time of 1 January 2026."""
    return f"\n# aider chat started at 2026-01-01 {at}\n\n" + printed(*start) + "".join(parts)


def printed(*lines: str) -> str:
    return "".join(f"> {line}".rstrip() + "  \n" for line in lines)


def typed(*lines: str) -> str:
    return "\n" + "".join(f"#### {line}".rstrip() + "  \n" for line in lines)


def said(text: str) -> str:
    return f"\n{text.strip()}\n\n"


def tokens(sent: str = "2.1k", received: str = "300", cost: str = "Cost: $0.0012 message, $0.01 session.") -> str:
    return printed(f"Tokens: {sent} sent, {received} received. {cost}".strip())


def talk() -> bytes:
    """Two runs; the first one has a command, a stopped reply and a cleared context."""
    first = run(
        "08:00:00", typed("/add tea.py"), printed("Added tea.py to the chat"), typed("Which tea?", "", "Say one."),
        said("# Tea\n\n> Sencha is green.\n\n```\nx\n```"), tokens(), printed("Applied edit to tea.py"),
        typed("And cake?"), printed("", "", "^C again to exit"), said("Che"), typed("/clear"),
        printed("All chat history cleared."), typed("Anew?"), said("Yes."),
    )  # fmt: skip
    second = run("09:00:00", typed("Later?"), said("Later."), tokens("12k", "1.2k", ""))
    return (first + second).encode()


def lost(data: bytes, events: Iterable[ReadEvent]) -> list[str]:
    """Return the lines with text that are neither in an entry, nor the start of a run, nor in a part left out."""
    parts: list[tuple[bytearray, list[Entry]]] = []
    unused = 0
    for event in events:
        match event:
            case Begin():
                parts.append((bytearray(), []))
            case Raw(data=chunk):
                parts[-1][0].extend(chunk)
            case Entry():
                parts[-1][1].append(event)
            case UnusedPart():
                unused += 1
    found = []
    for raw, entries in parts:
        rest = bytearray(raw)
        for entry in entries:
            assert entry.record is not None
            start, size = entry.record
            rest[start : start + size] = b"\n"[:size] * size
        found += [line.decode("utf-8", "replace") for line in rest.split(b"\n") if not _is_nothing(bytes(line))]
    whole = b"".join(bytes(raw) for raw, _ in parts)
    if not unused and len(data) < RUN_LIMIT and whole.strip() != data.removeprefix(b"\xef\xbb\xbf").strip():
        found.append("bytes of the file belong to no run")
    return found


def _is_nothing(line: bytes) -> bool:
    return not line.strip() or START.match(line.removesuffix(b"\r")) is not None
