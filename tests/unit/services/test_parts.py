"""The parts of the services are made when they are first used, once."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from stemmata.services import ports
from tests.fakes.scripted_provider import ScriptedBench


@pytest.mark.parametrize("name", ["source_files", "repositories", "titling", "handing_off", "exporting"])
def test_a_part_is_made_once(chat: ScriptedBench, name: str) -> None:
    assert getattr(chat.services, name) is getattr(chat.services, name)


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(ports.__path__)])
def test_a_port_is_a_protocol_or_a_value(name: str) -> None:
    module = importlib.import_module(f"{ports.__name__}.{name}")
    own = [kind for kind in vars(module).values() if isinstance(kind, type) and kind.__module__ == module.__name__]
    for kind in own:
        is_port = getattr(kind, "_is_protocol", False)
        assert is_port or hasattr(kind, "__dataclass_fields__") or issubclass(kind, Exception | tuple), kind
