"""Keys stay out of every text: what is secret of a connection, and a text without it."""

from __future__ import annotations

from urllib.parse import quote, unquote, urlsplit

from stemmata.domain.chat.connections import Connection

SHORTEST = 4  # characters; less is no secret, and replacing it would garble every text
STAND_IN = "…"


class Scrubber:
    """Replaces the key, the values of extra headers and passwords in addresses."""

    def __init__(self, connection: Connection, key: str) -> None:
        found = {key.strip(), *(value for _, value in connection.headers)}
        for url in (connection.proxy, connection.base_url):
            found |= _passwords(url)
        found |= {quote(secret) for secret in found} | {repr(secret)[1:-1] for secret in found}
        self._secrets = sorted((secret for secret in found if len(secret) >= SHORTEST), key=len, reverse=True)

    def __call__(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, STAND_IN)
        return text


def _passwords(url: str) -> set[str]:
    try:
        password = urlsplit(url).password
    except ValueError:
        return set()
    return {password, unquote(password)} if password else set()
