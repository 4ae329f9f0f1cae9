"""What the lines of a transcript say about its session."""

from __future__ import annotations

from stemmata.formats.claude_code.facts import TranscriptFacts


def test_a_line_that_was_counted_before_is_not_counted_again() -> None:
    """When a file has grown, its earlier lines are read once more for their facts."""
    facts = TranscriptFacts(counted=2)
    for line in (2, 3):
        facts.add_fact({"type": "custom-title", "customTitle": f"Title {line}"}, line)
    assert facts.others == {"custom-title": 1}
    assert facts.custom_title == "Title 3"


def test_only_texts_are_facts() -> None:
    facts = TranscriptFacts()
    facts.add_line({"cwd": 3, "version": "", "slug": None, "sessionId": "one"})
    facts.add_line({"cwd": "/code", "version": "2.0", "sessionId": "two"})
    assert facts.first == {"sessionId": "one", "cwd": "/code", "version": "2.0"}
    assert facts.sessions == {"one", "two"}
