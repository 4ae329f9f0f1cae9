"""Keys: from the environment, else the system's keyring, else for this run in memory. Never anywhere else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TimedOut
from typing import Any, TypeVar
from urllib.parse import urlsplit

from stemmata.domain.chat.connections import Connection, Origin, Secret
from stemmata.domain.text.phrases import Phrase

T = TypeVar("T")

SERVICE = "stemmata"  # the keyring's service; the account is a connection's name, or `servers/…`
PROBE = 5.0  # seconds the keyring may take to say whether it is there: D-Bus may block
PATIENCE = 60.0  # seconds for reading and writing, in which the person may be asked to unlock it
VARIABLES = {"api.anthropic.com": "ANTHROPIC_API_KEY", "api.openai.com": "OPENAI_API_KEY"}
NONE_THERE = Phrase("This system has no keyring, so keys are forgotten when Stemmata ends.")
LOCKED = Phrase("The keyring is locked, so keys are forgotten when Stemmata ends.")
SILENT = Phrase("The keyring does not answer, so keys are forgotten when Stemmata ends.")
BROKEN = Phrase("The keyring cannot be used, so keys are forgotten when Stemmata ends.")


class KeyringError(Exception):
    """The keyring could not do it; the message is one of the sentences above."""


class KeyStore:
    """Implements `services.ports.providers.Secrets`. Safe from any thread; blocks while the keyring does."""

    def __init__(self, environment: Mapping[str, str], *, probe: float = PROBE, patience: float = PATIENCE) -> None:
        self._environment = environment
        self._probe_time, self._patience = probe, patience
        self._memory: dict[str, Secret] = {}  # given for this run, or read from the keyring before
        self._problem: str | None = None  # None until the keyring was asked

    def find(self, connection: Connection) -> Secret | None:
        key = self._environment.get(variable_of(connection), "").strip()
        if key:
            return Secret(key, Origin.ENVIRONMENT)
        return self.find_named(connection.name)

    def find_named(self, name: str) -> Secret | None:
        """What is kept under this name, whatever stands in the environment."""
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
        self._memory[name] = secret = Secret(stored, Origin.KEYRING)
        return secret

    def keep(self, connection: Connection, key: str) -> Origin:
        return self.keep_named(connection.name, key)

    def keep_named(self, name: str, key: str) -> Origin:
        """The key loses what stands around it. In memory when the keyring refuses; `problem` then says why."""
        key = key.strip()
        origin = Origin.MEMORY
        if self.problem() in ("", LOCKED):  # it may have been unlocked since
            try:
                self._ask(lambda keyring: keyring.set_password(SERVICE, name, key))
                origin, self._problem = Origin.KEYRING, ""
            except KeyringError as failure:
                self._problem = str(failure)
        self._memory[name] = Secret(key, origin)
        return origin

    def forget(self, connection: Connection) -> None:
        """From memory and keyring; one in the environment stays there."""
        self.forget_named(connection.name)

    def forget_named(self, name: str) -> None:
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
        """Asks the keyring once; a problem that shows later is told from then on."""
        if self._problem is None:
            try:
                usable = self._ask(_is_usable, self._probe_time)
                self._problem = "" if usable else NONE_THERE
            except KeyringError as failure:
                self._problem = str(failure)
        return self._problem

    def _ask(self, work: Callable[[Any], T], patience: float | None = None) -> T:
        """Do it in a thread that may be left behind: a keyring that blocks must not block the program's end."""
        answer: Future[T] = Future()

        def run() -> None:
            try:
                import keyring

                answer.set_result(work(keyring))
            except Exception as error:  # noqa: BLE001 - backends raise what they like; all of it means "not usable"
                answer.set_exception(KeyringError(_words(error)))

        threading.Thread(target=run, name="keyring", daemon=True).start()
        try:
            return answer.result(self._patience if patience is None else patience)
        except TimedOut:
            raise KeyringError(SILENT) from None


def variable_of(connection: Connection) -> str:
    """The environment variable of the connection: its own, else the one known for its very host."""
    return connection.variable or VARIABLES.get(urlsplit(connection.base_url).hostname or "", "")


def _is_usable(keyring: Any) -> bool:
    """The backends that fail and that forget have priority 0 and less."""
    return float(keyring.get_keyring().priority) > 0


def _words(error: Exception) -> str:
    """The sentence for what a backend raised. Its own words are not shown: they might quote what was to be kept."""
    from keyring.errors import KeyringLocked, NoKeyringError

    if isinstance(error, NoKeyringError):
        return NONE_THERE
    return LOCKED if isinstance(error, KeyringLocked) else BROKEN
