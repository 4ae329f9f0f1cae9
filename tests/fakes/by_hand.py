"""A fake server for a person to chat with: `python -m tests.fakes.anthropic_server --port 8123 --rate 60`."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from tests.fakes.fake_models import CHARACTERS
from tests.fakes.loopback import LoopbackServer
from tests.fakes.own_ways import OWNERS, OwnWays
from tests.fakes.script import Reply
from tests.fakes.talker import talk

Talks = Callable[[Mapping[str, Any]], Reply]
Opens = Callable[[int, str, Talks, OwnWays], LoopbackServer]


def serve(opens: Opens) -> None:
    """Run the server until it is interrupted."""
    arguments = _arguments()

    def talks(payload: Mapping[str, Any]) -> Reply:
        return replace(talk(payload), piece=CHARACTERS, delay=1 / arguments.rate, wait=arguments.wait)

    with opens(arguments.port, arguments.key, talks, OwnWays(arguments.kind)) as server, suppress(KeyboardInterrupt):
        print(f"{type(server).__name__} at {server.url}", flush=True)  # noqa: T201 - for the person who started it
        threading.Event().wait()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--key", default="", help="the only key that is let in")
    parser.add_argument(
        "--kind", default="", choices=("", *OWNERS, "openrouter"), help="as which server it tells more"
    )
    parser.add_argument("--rate", type=float, default=60.0, help="tokens a second")
    parser.add_argument("--wait", type=float, default=0.4, help="seconds before the first")
    return parser.parse_args()
