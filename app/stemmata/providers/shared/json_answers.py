"""Small questions to servers, apart from their SDKs: JSON or nothing, of bounded size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from stemmata.domain.text.untrusted import parsed

if TYPE_CHECKING:
    import httpx2

MOST = 1_000_000  # bytes of an answer


async def answered(client: httpx2.AsyncClient, url: str, *, body: Mapping[str, Any] | None = None) -> Any:
    """The JSON that is answered; None for an error, for what is no JSON, and for more than anybody would tell."""
    import httpx2

    try:
        async with client.stream("GET" if body is None else "POST", url, json=body) as answer:
            found = b""
            async for piece in answer.aiter_bytes():
                found += piece
                if len(found) > MOST:
                    return None
        return parsed(found) if answer.status_code == 200 else None
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError, RecursionError):
        return None
