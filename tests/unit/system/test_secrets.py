"""Keys: from the environment, the keyring, or memory; and what is said when the keyring refuses."""
# ruff: noqa: TID253 - the keyring is what is tested

from __future__ import annotations

import threading
from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail, null
from keyring.errors import KeyringLocked

from stemmata.domain.chat.connections import Connection, KeyOrigin, Secret
from stemmata.system.secrets import BROKEN, LOCKED, NO_KEYRING, SERVICE, SILENT, KeyStore, variable_of
from tests.fakes.waiting import PATIENCE

KEY = "sk-test-1234567890"
ONE = Connection(name="one", base_url="https://one.example")
OTHER = Connection(name="other", base_url="https://one.example")


class MemoryKeyring(KeyringBackend):
    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # the library has no types here
        self.held: dict[tuple[str, str], str] = {}
        self.error: Exception | None = None
        self.gate: threading.Event | None = None

    def _pass(self) -> None:
        if self.gate is not None:
            self.gate.wait(PATIENCE)
        if self.error is not None:
            raise self.error

    def get_password(self, service: str, username: str) -> str | None:
        self._pass()
        return self.held.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._pass()
        self.held[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._pass()
        del self.held[service, username]


@pytest.fixture
def ring() -> Iterator[MemoryKeyring]:
    before = keyring.get_keyring()
    made = MemoryKeyring()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


def test_the_environment_comes_first(ring: MemoryKeyring) -> None:
    ring.held[SERVICE, "one"] = "from the keyring"
    mine = Connection(name="one", variable="MY_KEY", base_url="https://one.example")
    assert KeyStore({"MY_KEY": f" {KEY}\n"}).find(mine) == Secret(KEY, KeyOrigin.ENVIRONMENT)
    assert KeyStore({"MY_KEY": " "}).find(mine) == Secret("from the keyring", KeyOrigin.KEYRING)


def test_the_known_variables_are_for_their_own_hosts_only() -> None:
    assert variable_of(Connection(name="a")) == "ANTHROPIC_API_KEY"
    assert variable_of(Connection(name="a", base_url="https://api.openai.com/v1")) == "OPENAI_API_KEY"
    for url in ("https://api.anthropic.com.evil.example", "http://localhost:1", "https://x.example/api.openai.com"):
        assert variable_of(Connection(name="a", base_url=url)) == ""


def test_several_accounts_are_kept_apart(ring: MemoryKeyring) -> None:
    store = KeyStore({})
    assert store.keep(ONE, f"{KEY}\n") is KeyOrigin.KEYRING
    assert store.keep(OTHER, "another") is KeyOrigin.KEYRING
    assert ring.held == {(SERVICE, "one"): KEY, (SERVICE, "other"): "another"}
    again = KeyStore({})
    assert again.find(ONE) == Secret(KEY, KeyOrigin.KEYRING)
    again.forget(ONE)
    again.forget(ONE)
    assert ring.held == {(SERVICE, "other"): "another"}
    assert again.find(ONE) is None
    assert again.problem() == ""


@pytest.mark.parametrize("backend", [fail.Keyring, null.Keyring])
def test_without_a_keyring_a_key_lasts_for_this_run(ring: MemoryKeyring, backend: type[KeyringBackend]) -> None:
    keyring.set_keyring(backend())
    store = KeyStore({})
    assert store.find(ONE) is None
    assert store.problem() == NO_KEYRING
    assert store.keep(ONE, KEY) is KeyOrigin.MEMORY
    assert store.find(ONE) == Secret(KEY, KeyOrigin.MEMORY)
    store.forget(ONE)
    assert store.find(ONE) is None
    assert KeyStore({}).find(ONE) is None


def test_a_locked_keyring_is_said_and_tried_again_when_asked_to_keep(ring: MemoryKeyring) -> None:
    ring.error = KeyringLocked(f"locked {KEY}")
    store = KeyStore({})
    assert store.keep(ONE, KEY) is KeyOrigin.MEMORY
    assert store.problem() == LOCKED
    ring.error = None
    assert store.keep(ONE, KEY) is KeyOrigin.KEYRING
    assert store.problem() == ""


def test_a_broken_keyring_is_said_in_our_words(ring: MemoryKeyring) -> None:
    ring.held[SERVICE, "one"] = KEY
    ring.error = OSError(f"could not send {KEY}")
    store = KeyStore({})
    assert store.find(ONE) is None
    assert store.problem() == BROKEN
    store.forget(ONE)
    later = KeyStore({})
    later.forget(ONE)
    assert later.problem() == BROKEN


def test_a_keyring_that_does_not_answer_is_left_behind(ring: MemoryKeyring) -> None:
    ring.gate = threading.Event()
    store = KeyStore({}, patience=0.02)
    try:
        assert store.keep(ONE, KEY) is KeyOrigin.MEMORY
        assert store.problem() == SILENT
        assert store.find(ONE) == Secret(KEY, KeyOrigin.MEMORY)
    finally:
        ring.gate.set()


def test_a_secret_does_not_print_itself() -> None:
    assert KEY not in f"{Secret(KEY, KeyOrigin.MEMORY)!r} {Secret(KEY, KeyOrigin.MEMORY)}"


def test_a_key_under_another_name_is_never_from_the_environment(ring: MemoryKeyring) -> None:
    keys = KeyStore({"ANTHROPIC_API_KEY": KEY})
    assert keys.find_named("servers/a@") is None
    assert keys.keep_named("servers/a@", f" {KEY}\n") is KeyOrigin.KEYRING
    assert ring.held == {(SERVICE, "servers/a@"): KEY}
    assert KeyStore({}).find_named("servers/a@") == Secret(KEY, KeyOrigin.KEYRING)
