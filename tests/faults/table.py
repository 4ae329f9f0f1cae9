"""The table of faults in the documentation, from what the tests hold. `python -m tests.faults.table` writes it."""

from __future__ import annotations

from pathlib import Path

from stemmata.domain.runs import Phase
from tests.faults.fault_cases import APIS, CASES, FaultCase

DOCUMENT = Path(__file__).parents[2] / "docs" / "testing.md"
_BEGIN, _END = "<!-- faults: begin -->", "<!-- faults: end -->"
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
_OFFERS = {"limit": "Raise the limit"}
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


def table_in(text: str) -> str:
    """What stands between the marks."""
    return text.partition(_BEGIN)[2].partition(_END)[0].strip()


def main() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    before, _, rest = text.partition(_BEGIN)
    after = rest.partition(_END)[2]
    DOCUMENT.write_text(f"{before}{_BEGIN}\n\n{written()}\n\n{_END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
