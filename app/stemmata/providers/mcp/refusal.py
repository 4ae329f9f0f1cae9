"""Who is not let in by an MCP server, and what can be done about it: the SDK tells no more than that it failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2

REFUSED = "The server refused the key (HTTP {0}). Give it another one."
FORBIDDEN = "The server lets nobody in who has this key (HTTP 403). Ask whoever runs it what the key may do."
LOGIN = (
    "The server wants you to log in with a browser (OAuth), which Stemmata cannot do. If its provider also gives out "
    "tokens or keys, make one, and write into the settings of this server: "
    'headers = {{ Authorization = "Bearer ${{key}}" }}. Then the key can be given here.'
)
KEYLESS = (
    "The server wants a key or token (HTTP {0}). Write into its settings in which header it is sent, for example "
    'headers = {{ Authorization = "Bearer ${{key}}" }}. Then the key can be given here.'
)


class Refusal:
    """Watches the answers of one server. `words` is "" as long as none of them turned us away."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._has_key = any("${" in value for value in headers.values())
        self.words = ""

    async def notice(self, response: httpx2.Response) -> None:
        status, asks = response.status_code, response.headers.get("www-authenticate", "").lower()
        if status == 403 and self._has_key:
            self.words = FORBIDDEN
        elif status in (401, 403) and not self._has_key:
            self.words = (LOGIN if "resource_metadata" in asks else KEYLESS).format(status)
        elif status == 401:
            self.words = REFUSED.format(status)
