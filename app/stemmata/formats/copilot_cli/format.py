"""The declaration of Copilot CLI's format."""

from __future__ import annotations

from stemmata.formats.copilot_cli.reader import CopilotCli
from stemmata.formats.shared.format import Format

COPILOT_CLI = Format(
    CopilotCli.name,
    "Copilot CLI",
    reader=CopilotCli,
    resume=("copilot", "--resume", "{id}"),
)
