"""What is said of a run beside its phase, and of its end."""

from __future__ import annotations

from stemmata.domain.phrases import Phrase


def limit_reached(limit: int) -> Phrase:
    return Phrase("The reply reached the limit of {0} tokens.", limit)


def not_sent(model: str, count: int) -> Phrase:
    return Phrase("Not sent, since {0} does not take them: pictures and PDFs of this session ({1})", model, count)


def sent_as_text() -> Phrase:
    """Of a summary whose signature its provider no longer takes."""
    return Phrase("The signed summary was refused; it was sent as plain text")


def comes_next() -> Phrase:
    return Phrase("Your message is sent once this part is done")


def went_beside() -> Phrase:
    """Two processes went on in one session."""
    return Phrase("Another window continued this session; your message began a branch beside it.")


def writes_notes() -> Phrase:
    return Phrase("Before a compaction: notes to memory")
