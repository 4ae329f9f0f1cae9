"""Connections: their hosts, and what is said of their keys."""

from __future__ import annotations

import pytest

from stemmata.domain.chat.connections import Connection, KeyOrigin, Secret, host_of


@pytest.mark.parametrize(
    ("url", "host", "is_local"),
    [
        ("http://127.0.0.1:8123", "127.0.0.1", True),
        ("http://[::1]/v1", "::1", True),
        ("https://api.anthropic.com", "api.anthropic.com", False),
        ("no address", None, False),
        ("http://[", None, False),
    ],
)
def test_the_host_says_whether_the_server_is_on_this_machine(url: str, host: str | None, is_local: bool) -> None:
    assert host_of(url) == host
    assert Connection(name="a", base_url=url).is_local is is_local


def test_a_key_is_not_in_what_is_printed_of_it() -> None:
    assert repr(Secret("sk-secret", KeyOrigin.KEYRING)) == "Secret(keyring)"
