"""Write the table of faults and the list of bad requests to docs/faults.md: `python -m tests.faults.table`."""

from __future__ import annotations

from pathlib import Path

from stemmata.domain.chat.run import Phase
from tests.fakes.bad_requests import BAD_REQUESTS
from tests.faults.fault_cases import APIS, CASES, FaultCase

DOCUMENT = Path(__file__).parents[2] / "docs" / "faults.md"
_BEGIN, _END = "<!-- faults: begin -->", "<!-- faults: end -->"
_REFUSED = ("<!-- bad requests: begin -->", "<!-- bad requests: end -->")
_TITLES = {
    "anthropic": "Messages",
    "openai-chat": "Chat Completions",
    "openai-responses": "Responses",
    "openai-codex-responses": "Codex Responses",
}
_HEAD = (
    "| fault | APIs | outcome and message in the window | command line | stored of the reply | offered actions |",
    "|---|---|---|---|---|---|",
)
_STORED = {
    "whole": "everything",
    "part": "the received part, marked as interrupted",
    "empty": "only the usage",
    "nothing": "nothing",
}
_OFFERS = {
    "limit": "Raise the limit",
    "cut": "Cut entry",
    "exclude": "Exclude entry",
    "summarise": "Summarise history",
    "take-back": "Return to composer",
}
_NAMES = {"anthropic": "A", "openai-chat": "C", "openai-responses": "R"}
_ENDS = {
    Phase.IDLE: "no effect",
    Phase.INTERRUPTED: "interrupted",
    Phase.FAILED: "failed",
}


def written() -> str:
    return "\n".join([*_HEAD, *map(_row, CASES)])


def _row(case: FaultCase) -> str:
    ends = _ENDS[case.phase]
    if case.phase is Phase.IDLE and case.asked > 1:
        ends = "second try succeeds" if case.before == 0 else "compacted; second try succeeds"
    elif case.phase is Phase.IDLE and case.problem:
        ends = "reply is cut off"
    elif case.asked > 1 and case.rounds >= case.asked > 3:
        ends += f" after {case.asked} tries"
    told = f": “…{case.problem}…”" if case.problem else ""
    offers = ", ".join(_OFFERS.get(offer, offer.capitalize()) for offer in case.offers) or "—"
    apis = "all" if case.apis == APIS else ", ".join(_NAMES[api] for api in case.apis)
    printed = f"same message, exit {case.exit_code}" if case.problem else f"exit {case.exit_code}"
    return f"| {case.fault} | {apis} | {ends}{told} | {printed} | {_STORED[case.stored]} | {offers} |"


def refused() -> str:
    """Return the list of the requests that the fake servers refuse, by API."""
    lines = []
    for api, kinds in BAD_REQUESTS.items():
        lines.append(f"- **{_TITLES[api]}** ({len(kinds)}): " + "; ".join(bad.kind for bad in kinds) + ".")
    return "\n".join(lines)


def table_in(text: str, begin: str = _BEGIN, end: str = _END) -> str:
    """Return the text between two marks."""
    return text.partition(begin)[2].partition(end)[0].strip()


def refused_in(text: str) -> str:
    return table_in(text, *_REFUSED)


def main() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for begin, end, found in ((_BEGIN, _END, written()), (*_REFUSED, refused())):
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n\n{found}\n\n{end}{rest.partition(end)[2]}"
    DOCUMENT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
