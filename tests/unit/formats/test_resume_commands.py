"""The commands that continue a session in its tool, each with the place that describes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.formats.registry import FORMATS, standard_formats

# The command for a session with the id `ID` and the file `FILE`, and where its form is described. A version is that
# of the program that was run with the command, or whose help or code was read.
COMMANDS = {
    "amp": ("amp threads continue ID", "help of Amp, September 2026"),
    "claude-code": ("claude --resume ID", "Claude Code 2.1.197, run by test_real_resumes.py"),
    "codex": ("codex resume ID", "Codex 0.169.0, run by test_real_resumes.py"),
    "continue": ("cn --fork ID", "help of cn 1.5.47, whose --resume continues only the last session"),
    "copilot-cli": ("copilot --resume ID", "Copilot CLI 1.0.102"),
    "crush": ("crush --session ID", "documentation of Crush"),
    "droid": ("droid --resume ID", "docs/reference/cli-reference.mdx of Factory-AI/factory, September 2026"),
    "gemini": ("gemini --resume ID", "geminicli.com/docs/cli/session-management; code of Gemini CLI 0.61.0"),
    "goose": ("goose session --resume --session-id ID", "block.github.io/goose/docs/guides/goose-cli-commands"),
    "hermes": ("hermes --resume ID", "website/docs/reference/cli-commands.md of NousResearch/hermes-agent"),
    "kiro": ("kiro-cli chat --resume-id ID", "kiro-cli 2.5.1, as issue 9066 of kirodotdev/Kiro describes it"),
    "llm": ("llm chat --cid ID", "llm 0.30"),
    "opencode": ("opencode --session ID", "help of opencode 1.18.33"),
    "pi": ("pi --session FILE", "README of pi's coding agent"),
    "qwen": ("qwen --resume ID", "Qwen Code 0.15.10"),
    "vibe": ("vibe --resume ID", "README of mistral-vibe 2.18.4"),
}  # fmt: skip


def test_every_command_has_its_source() -> None:
    assert {one.name for one in FORMATS if one.resume} == COMMANDS.keys()


@pytest.mark.parametrize("name", COMMANDS)
def test_the_command_is_the_described_one(name: str) -> None:
    formats = standard_formats(Path("/home/ann"), {})
    command, source = COMMANDS[name]
    assert " ".join(formats.resume_command(name, "ID", "FILE")) == command, source
