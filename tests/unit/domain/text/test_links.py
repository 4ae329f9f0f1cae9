"""Only links of the web and of mail may be opened."""

from __future__ import annotations

import pytest

from stemmata.domain.text.links import is_safe_link


@pytest.mark.parametrize(
    "address",
    ["http://x.example/a?b=c", "https://x.example", "mailto:a@x.example", "HTTPS://x", " http://x "],
)
def test_links_of_the_web_and_of_mail_are_safe(address: str) -> None:
    assert is_safe_link(address)


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "ftp://x/y", "//x", "#a", "",
        "ht\ntps://x.example", "\x01http://x.example", "https", "httpsx://y",
    ],
)  # fmt: skip
def test_other_links_are_not_safe(address: str) -> None:
    assert not is_safe_link(address)


def test_an_address_that_cannot_be_parsed_is_not_safe() -> None:
    assert not is_safe_link("http://[broken")
