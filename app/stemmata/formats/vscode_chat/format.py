"""The declaration of the format of VS Code's chat."""

from __future__ import annotations

from stemmata.formats.shared.format import Format
from stemmata.formats.vscode_chat.reader import VscodeChat

VSCODE_CHAT = Format(VscodeChat.name, "VS Code chat", reader=VscodeChat)
