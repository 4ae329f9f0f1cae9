"""Links to a session or to one of its entries: `stemmata://session/<id>/<entry>`."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote, unquote

from stemmata.domain.errors import KnownError
from stemmata.domain.text.phrases import Phrase

START = "stemmata://session/"
SCHEME = "stemmata:"


class Link(NamedTuple):
    """A link. `session` is the session's id in the archive; `entry` is the source's id of an entry, "" for none."""

    session: str
    entry: str = ""

    def __str__(self) -> str:
        parts = (self.session, self.entry) if self.entry else (self.session,)
        return START + "/".join(quote(part, safe="", errors="surrogatepass") for part in parts)


def is_link(text: str) -> bool:
    """Return whether the text starts like a link; the following part may be invalid."""
    return text.strip().lower().startswith(SCHEME)


def parse_link(text: str) -> Link:
    """Return the link that the text contains. Raises KnownError when it is not a link to a session."""
    link = text.strip()
    session, _, entry = link[len(START) :].rstrip("/").partition("/")
    if not link.lower().startswith(START) or not session or "/" in entry:
        raise KnownError(
            Phrase("Not a link to a session: {0}\nA valid link looks like {1}1a2b3c4d/5e6f7a8b.", link[:200], START)
        )
    return Link(unquote(session, errors="surrogatepass"), unquote(entry, errors="surrogatepass"))
