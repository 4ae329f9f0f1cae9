"""Store API keys: read from the environment, else from the system's keyring, else kept in memory for this run.

Keys are never stored anywhere else.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TimedOut
from typing import Any, TypeVar
from urllib.parse import urlsplit

from stemmata.domain.chat.connections import Connection, KeyOrigin, Secret
from stemmata.domain.text.phrases import Phrase

T = TypeVar("T")

SERVICE = "stemmata"  # service name in the keyring; the account is a connection's name, or `servers/…`
PROBE_TIMEOUT = 5.0  # seconds to wait for a first answer; D-Bus may block
TIMEOUT = 60.0  # seconds for reading and writing, during which the user may have to unlock the keyring
VARIABLES = {"api.anthropic.com": "ANTHROPIC_API_KEY", "api.openai.com": "OPENAI_API_KEY"}
NO_KEYRING = Phrase("This system has no keyring. Keys are kept until Stemmata is closed.")
LOCKED = Phrase("The keyring is locked. Keys are kept until Stemmata is closed.")
SILENT = Phrase("The keyring does not respond. Keys are kept until Stemmata is closed.")
BROKEN = Phrase("The keyring cannot be used. Keys are kept until Stemmata is closed.")


class KeyringError(Exception):
    """An operation of the keyring failed. The message is a sentence for the user."""


class KeyStore:
    """Implements `services.ports.providers.Secrets`. Thread-safe; blocks while the keyring does."""

    def __init__(
        self, environment: Mapping[str, str], *, probe: float = PROBE_TIMEOUT, patience: float = TIMEOUT
    ) -> None:
        self._environment = environment
        self._probe_time, self._patience = probe, patience
        self._memory: dict[str, Secret] = {}  # keys given for this run or already read from the keyring
        self._problem: str | None = None  # None until the keyring was first used

    def find(self, connection: Connection) -> Secret | None:
        """Return the connection's key from the environment, else the stored one; None when there is no key."""
        key = self._environment.get(variable_of(connection), "").strip()
        if key:
            return Secret(key, KeyOrigin.ENVIRONMENT)
        return self.find_named(connection.name)

    def find_named(self, name: str) -> Secret | None:
        """Return the key stored under this name, ignoring the environment; None when there is none."""
        known = self._memory.get(name)
        if known is not None or self.problem():
            return known
        try:
            stored = self._ask(lambda keyring: keyring.get_password(SERVICE, name))
        except KeyringError as failure:
            self._problem = str(failure)
            return None
        if not stored:
            return None
        self._memory[name] = secret = Secret(stored, KeyOrigin.KEYRING)
        return secret

    def keep(self, connection: Connection, key: str) -> KeyOrigin:
        """Store the connection's key and return its location."""
        return self.keep_named(connection.name, key)

    def keep_named(self, name: str, key: str) -> KeyOrigin:
        """Store a key without surrounding white space and return its location.

        The key is kept in memory when the keyring refuses it; `problem` then returns the reason.
        """
        key = key.strip()
        origin = KeyOrigin.MEMORY
        if self.problem() in ("", LOCKED):  # the user may have unlocked it since
            try:
                self._ask(lambda keyring: keyring.set_password(SERVICE, name, key))
                origin, self._problem = KeyOrigin.KEYRING, ""
            except KeyringError as failure:
                self._problem = str(failure)
        self._memory[name] = Secret(key, origin)
        return origin

    def forget(self, connection: Connection) -> None:
        """Delete the connection's key from memory and keyring; a key in the environment remains."""
        self.forget_named(connection.name)

    def forget_named(self, name: str) -> None:
        """Delete the key stored under this name from memory and keyring."""
        self._memory.pop(name, None)
        if self.problem():
            return

        def remove(keyring: Any) -> None:
            if keyring.get_password(SERVICE, name) is not None:
                keyring.delete_password(SERVICE, name)

        try:
            self._ask(remove)
        except KeyringError as failure:
            self._problem = str(failure)

    def problem(self) -> str:
        """Return why the keyring cannot be used, or "". The keyring is probed once; a later failure is remembered."""
        if self._problem is None:
            try:
                usable = self._ask(_is_usable, self._probe_time)
                self._problem = "" if usable else NO_KEYRING
            except KeyringError as failure:
                self._problem = str(failure)
        return self._problem

    def _ask(self, work: Callable[[Any], T], patience: float | None = None) -> T:
        """Run `work` with the keyring in a daemon thread, and return its result.

        A keyring that blocks then cannot block the end of the program. Raises KeyringError.
        """
        answer: Future[T] = Future()

        def run() -> None:
            try:
                import keyring

                answer.set_result(work(keyring))
            except Exception as error:  # noqa: BLE001 - backends raise arbitrary errors; all mean that the keyring is not usable
                answer.set_exception(KeyringError(_words(error)))

        threading.Thread(target=run, name="keyring", daemon=True).start()
        try:
            return answer.result(self._patience if patience is None else patience)
        except TimedOut:
            raise KeyringError(SILENT) from None


def variable_of(connection: Connection) -> str:
    """Return the environment variable for the connection's key: its own, else the known one for its host, else ""."""
    return connection.variable or VARIABLES.get(urlsplit(connection.base_url).hostname or "", "")


def _is_usable(keyring: Any) -> bool:
    """Return whether the selected backend works. Backends that fail or forget have a priority of 0 or less."""
    return float(keyring.get_keyring().priority) > 0


def _words(error: Exception) -> str:
    """Return the message for an error of a backend.

    The backend's text is not shown, because it might quote the key.
    """
    from keyring.errors import KeyringLocked, NoKeyringError

    if isinstance(error, NoKeyringError):
        return NO_KEYRING
    return LOCKED if isinstance(error, KeyringLocked) else BROKEN
