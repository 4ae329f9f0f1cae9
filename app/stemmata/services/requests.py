"""The exact request a provider would be sent at an entry."""

from __future__ import annotations

from stemmata.services.ports import Archive

PROVIDERS = ("anthropic", "openai-chat", "openai-responses")


class Requests:
    def __init__(self, archive: Archive) -> None:
        self._archive = archive
