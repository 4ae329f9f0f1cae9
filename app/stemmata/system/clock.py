"""The real clock and source of ids."""

from __future__ import annotations

import time


class SystemClock:
    """Implements `services.ports.Clock`."""

    def now(self) -> int:
        return time.time_ns()

    def new_id(self) -> str:
        import secrets  # brings OpenSSL, which opening the window does not need

        return secrets.token_hex(4)
