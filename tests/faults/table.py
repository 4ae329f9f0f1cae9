"""The table of faults in the documentation, from what the tests hold. `python -m tests.faults.table` writes it."""

from __future__ import annotations

from pathlib import Path

from stemmata.domain.chat.run import Phase
from tests.fakes.bad_requests import BAD_REQUESTS
from tests.faults.fault_cases import APIS, CASES, FaultCase

DOCUMENT = Path(__file__).parents[2] / "docs" / "testing.md"
_BEGIN, _END = "<!-- faults: begin -->", "<!-- faults: end -->"
_REFUSED = ("<!-- bad requests: begin -->", "<!-- bad requests: end -->")
_TITLES = {"anthropic": "Messages", "openai-chat": "Chat Completions", "openai-responses": "Responses"}
_HEAD = (
    "| what the server does | APIs | what the window says | the command line | kept of the reply | what is offered |",
    "|---|---|---|---|---|---|",
)
_STORED = {
    "whole": "all of it",
    "part": "what had come, marked as broken off",
    "empty": "its figures",
    "nothing": "nothing came",
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
    Phase.IDLE: "as if nothing had happened",
    Phase.INTERRUPTED: "interrupted",
    Phase.FAILED: "failed",
}


def written() -> str:
    return "\n".join([*_HEAD, *map(_row, CASES)])


def _row(case: FaultCase) -> str:
    ends = _ENDS[case.phase]
    if case.phase is Phase.IDLE and case.asked > 1:
        ends = "answered at the second try" if case.before == 0 else "compacted, then answered at the second try"
    elif case.phase is Phase.IDLE and case.problem:
        ends = "cut off there"
    elif case.asked > 1 and case.rounds >= case.asked > 3:
        ends += f" after {case.asked} tries"
    told = f": “…{case.problem}…”" if case.problem else ""
    offers = ", ".join(_OFFERS.get(offer, offer.capitalize()) for offer in case.offers) or "—"
    apis = "all" if case.apis == APIS else ", ".join(_NAMES[api] for api in case.apis)
    printed = f"the same words, exit {case.exit_code}" if case.problem else f"exit {case.exit_code}"
    return f"| {case.fault} | {apis} | {ends}{told} | {printed} | {_STORED[case.stored]} | {offers} |"


def refused() -> str:
    """What the fake servers turn away, by API."""
    lines = []
    for api, kinds in BAD_REQUESTS.items():
        lines.append(f"- **{_TITLES[api]}** ({len(kinds)}): " + "; ".join(bad.kind for bad in kinds) + ".")
    return "\n".join(lines)


def table_in(text: str, begin: str = _BEGIN, end: str = _END) -> str:
    """What stands between the marks."""
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
