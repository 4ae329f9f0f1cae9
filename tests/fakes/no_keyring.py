"""A machine without a keyring."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import keyring  # noqa: TID253 - replaced by one that fails
from keyring.backends import fail  # noqa: TID253 - as above


@contextmanager
def no_keyring() -> Iterator[None]:
    before = keyring.get_keyring()
    keyring.set_keyring(fail.Keyring())  # type: ignore[no-untyped-call]  # the library has no types here
    yield
    keyring.set_keyring(before)
