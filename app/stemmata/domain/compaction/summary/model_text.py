"""What entries that no provider knows say to the model: shell commands of the user, custom messages, summaries."""

from __future__ import annotations

from stemmata.domain.compaction.summary.summary import branch_message, compaction_message
from stemmata.domain.entries.blocks import plain_text
from stemmata.domain.entries.entry import Entry, Kind, Role
from stemmata.domain.entries.outcomes import Outcome, details_of, exit_code, outcome


def model_text(entry: Entry) -> str:
    """The text a user message carries for this entry; for a plain message its text blocks, as pi joins them."""
    if entry.kind is Kind.COMPACTION:
        return compaction_message(plain_text(entry.blocks))
    if entry.kind is Kind.BRANCH_SUMMARY:
        return branch_message(plain_text(entry.blocks))
    if entry.role is Role.BASH_EXECUTION:
        return bash_text(entry)
    return plain_text(entry.blocks, "")


def bash_text(entry: Entry) -> str:
    """A shell command the user ran: command, output, how it ended, where the full output is (pi 0.58)."""
    output = plain_text(entry.blocks)
    parts = [f"Ran `{entry.name}`\n" + (f"```\n{output}\n```" if output else "(no output)")]
    code = exit_code(entry)
    if outcome(entry, code) is Outcome.CANCELLED:
        parts.append("(command cancelled)")
    elif code:
        parts.append(f"Command exited with code {code}")
    details = details_of(entry.details)
    if details.get("truncated") and details.get("fullOutputPath"):
        parts.append(f"[Output truncated. Full output: {details['fullOutputPath']}]")
    return "\n\n".join(parts)
