from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemmata.domain.entries.links import Link, is_link, parse_link
from stemmata.domain.errors import KnownError

IDS = st.text(st.characters() | st.sampled_from("/%#?\0\ud800 "), min_size=1)


def test_the_form_of_a_link() -> None:
    assert str(Link("1a2b3c4d")) == "stemmata://session/1a2b3c4d"
    assert str(Link("1a2b3c4d", "a/b é")) == "stemmata://session/1a2b3c4d/a%2Fb%20%C3%A9"
    assert parse_link(" Stemmata://session/1a2b/5e6f/ \n") == Link("1a2b", "5e6f")


@given(IDS, st.just("") | IDS)
def test_any_ids_survive_a_link(session: str, entry: str) -> None:
    link = Link(session, entry)
    assert is_link(str(link))
    assert parse_link(str(link)) == link


@pytest.mark.parametrize(
    "text",
    ["stemmata:", "stemmata://session/", "stemmata://session//x", "stemmata://file/etc", "stemmata://session/a/b/c"],
)
def test_a_text_that_is_no_link_is_refused(text: str) -> None:
    assert is_link(text)
    with pytest.raises(KnownError, match="Not a link to a session"):
        parse_link(text)


def test_ids_and_paths_are_no_links() -> None:
    assert not any(map(is_link, ("", "latest", "1a2b", "/home/stemmata:x", "https://example.org")))
