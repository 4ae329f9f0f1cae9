"""Tests of the declarations of connections, tool servers and models, from which the file and the forms follow."""

from __future__ import annotations

import pytest

from stemmata.domain.chat.catalogue import Model
from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.tool_servers import KeptConsent, ToolServer
from stemmata.domain.list_items import (
    ADDRESS,
    CONNECTIONS,
    CONSENTS,
    MODELS,
    PROGRAM,
    SERVERS,
    FieldKind,
    FormRow,
    ItemError,
    ItemField,
    ItemKind,
)
from stemmata.domain.requests.apis import API_NAMES


def test_the_rows_of_a_form_have_the_declared_order() -> None:
    assert list(CONNECTIONS.rows) == ["name", "base_url", "api", "key", "model", "variable", "proxy", "ca_file"]
    assert list(SERVERS.rows) == ["name", "kind", "command", "args", "env", "folder", "url", "headers", "key"]
    assert list(MODELS.rows)[:3] == ["id", "window", "most_output"]


def test_a_new_field_of_an_item_is_a_row_of_its_form_and_a_key_of_the_file() -> None:
    team = ItemField("team", lambda value, _key, _where: value.upper(), row=FormRow("Team"))
    kind: ItemKind[dict[str, object]] = ItemKind("made", dict, (*MODELS.fields, team))
    assert kind.rows["team"].title == "Team"
    assert kind.read({"team": "red"}) == {"team": "RED"}


def test_the_choices_are_the_values_that_are_valid() -> None:
    assert tuple(value for value, _title in CONNECTIONS.rows["api"].choices()) == API_NAMES
    assert [value for value, _title in SERVERS.rows["kind"].choices()] == [PROGRAM[1], ADDRESS[1]]
    assert FormRow("Text").choices() == ()


def test_every_row_of_a_number_a_choice_or_a_table_says_how_it_is_entered() -> None:
    for kind in (CONNECTIONS, SERVERS, MODELS):
        for row in kind.rows.values():
            assert bool(row.separator) == (row.kind is FieldKind.PAIRS)
            assert bool(row.choices()) == (row.kind is FieldKind.CHOICE)
            assert row.problem or row.kind not in (FieldKind.PAIRS, FieldKind.TOKENS, FieldKind.DOLLARS)


def test_what_is_written_is_read_again() -> None:
    connection = Connection(name="a", api="openai-chat", base_url="http://x/v1", headers=(("x-team", "red"),))
    server = ToolServer(name="s", command="run", args=("-v",), env={"A": "1"}, folder="/")
    model = Model("m", window=1000, input_price=2_500_000, aliases=("other",))
    consent = KeptConsent("s", "read", "/w", may=False)
    assert CONNECTIONS.read(CONNECTIONS.table(connection)) == connection
    assert CONSENTS.read(CONSENTS.table(consent)) == consent
    assert SERVERS.read({key: value for key, value in SERVERS.table(server).items() if value}) == server
    assert MODELS.read_as("M", {key: value for key, value in MODELS.table(model).items() if value}) == model


@pytest.mark.parametrize(
    ("kind", "item", "problem"),
    [
        (CONNECTIONS, "a", "an item is not a table"),
        (CONNECTIONS, {"name": "a", "colour": "red"}, "unknown key “colour”"),
        (CONNECTIONS, {"name": "a", "model": 3}, "model must be a text"),
        (CONNECTIONS, {"name": "a", "base_url": "http://me:secret@host"}, "base_url must not contain a password"),
        (CONSENTS, {"origin": "s", "tool": "t", "answer": "perhaps"}, "answer for “t” must be"),
        (CONNECTIONS, {"name": "a", "api": ""}, "connection “a”: api is empty"),
        (CONNECTIONS, {"name": "a", "api": "odd"}, "api must be one of"),
        (CONNECTIONS, {"name": "a", "base_url": "http://["}, "base_url must be an address"),
        (CONNECTIONS, {"name": "a", "variable": "a key"}, "variable must be the name"),
        (CONNECTIONS, {"name": "a", "headers": 3}, "headers must be a table"),
        (CONNECTIONS, {"name": "a", "headers": {"a b": "c"}}, "“a b” is not a valid header"),
        (CONNECTIONS, {"name": "a", "headers": {"Cookie": "c"}}, "enter it as the connection’s key"),
        (SERVERS, {"name": "s", "command": "x", "args": [1]}, "args must be a list of texts"),
        (MODELS, {"aliases": [" "]}, "aliases must be a list of names"),
        (CONSENTS, {"tool": "t"}, "an item needs origin and tool"),
        (SERVERS, {"name": "s", "command": "x", "env": {"A": 1}}, "env must be a table of texts"),
        (SERVERS, {"name": "s", "command": "x", "url": "http://x"}, "set either command or url"),
        (SERVERS, {"name": "s", "command": "x", "headers": {"A": "b"}}, "headers require url"),
        (SERVERS, {"name": "s", "url": "http://x", "folder": "/"}, "folder requires command"),
    ],
)
def test_an_invalid_item_is_refused_with_the_reason(kind: ItemKind[object], item: object, problem: str) -> None:
    with pytest.raises(ItemError, match="^(?=.*" + problem.replace("(", r"\(") + ")"):
        kind.read(item)
