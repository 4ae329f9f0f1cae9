"""The table of automatic compaction in the documentation, from what the tests hold.

`python -m tests.faults.compaction_table` writes it.
"""

from __future__ import annotations

from pathlib import Path

from tests.faults.compaction_cases import CASES, CompactionCase

DOCUMENT = Path(__file__).parents[2] / "docs" / "automatic-compaction.md"
MARKS = ("<!-- situations: begin -->", "<!-- situations: end -->")
_HEAD = (
    "| trigger | situation | what happens | what you see | requests for summaries |",
    "|---|---|---|---|---|",
)
_OFFERS = {
    "digest": "Use the digest",
    "cut": "Cut entry",
    "exclude": "Exclude entry",
    "summarise": "Summarise history",
    "take-back": "Return to composer",
}
_TIMES = ("", "once", "twice", "three times", "four times")


def written() -> str:
    return "\n".join([*_HEAD, *map(_row, CASES)])


def _row(case: CompactionCase) -> str:
    done = [f"compacted {_TIMES[case.compacted]}"] if case.compacted else []
    done += ["tool output pruned"] if case.pruned else []
    happens = "; ".join([", ".join(done) or "not compacted", *([case.happens] if case.happens else [])])
    seen = [f"“…{piece}…”" for piece in (*case.sees, *([case.problem] if case.problem else []))]
    offers = [f"*{_OFFERS.get(offer, offer.capitalize())}*" for offer in case.offers]
    shown = " ".join([*seen, *(["and", ", ".join(offers)] if offers else [])]) or "no notice"
    return f"| {case.trigger} | {case.situation} | {happens} | {shown} | {case.paid or '—'} |"


def main() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    before, _, rest = text.partition(MARKS[0])
    text = f"{before}{MARKS[0]}\n\n{written()}\n\n{MARKS[1]}{rest.partition(MARKS[1])[2]}"
    DOCUMENT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
