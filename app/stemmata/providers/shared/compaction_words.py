"""What Anthropic's API says of summaries by itself and of those it signed, in plain words.

The codes stand in `details.error_code` of an error. {0} is the server, {1} the status.
"""

from __future__ import annotations

from stemmata.domain.chat.streaming import Fault
from stemmata.domain.compaction.summary.signed import REFUSED
from stemmata.domain.text.phrases import template

UNAVAILABLE = "compaction_unavailable"
FAULTS = {UNAVAILABLE: Fault.OVERLOADED}  # all others are refusals

_UNSIGNED = template(
    "{0} refused the summary it once signed{1}. Everything is kept. Edit the summary: it is sent as plain text then."
)
WORDS = {
    UNAVAILABLE: template(
        "{0} cannot summarise at the moment{1}. Nothing was changed. Try again in a while, or use the digest."
    ),
    "compaction_nothing_to_summarize": template(
        "{0} found nothing to summarise{1}. Nothing was changed. Move the cut down, or use the digest."
    ),
    "compaction_incomplete_turn": template(
        "{0} does not summarise a turn that has no end{1}. Nothing was changed. Move the cut to the start of a turn, "
        "or use the digest."
    ),
    "compaction_too_many_tool_references": template(
        "{0} does not summarise a conversation with so many tools{1}. Nothing was changed. Use the summary of a "
        "model, or the digest."
    ),
} | dict.fromkeys(REFUSED, _UNSIGNED)
