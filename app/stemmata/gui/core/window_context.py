"""The objects that all controllers of a window share."""

from __future__ import annotations

from dataclasses import dataclass

from stemmata.gui.core.actions import Actions
from stemmata.gui.core.attention import Attention
from stemmata.gui.core.background import Background
from stemmata.gui.core.bridge import Bridge
from stemmata.gui.core.history import WindowHistory
from stemmata.gui.core.open_session import OpenSession
from stemmata.gui.widgets.toast import Toast
from stemmata.services.services import Services


@dataclass(frozen=True, slots=True)
class WindowContext:
    """The services, the bridge to the GUI thread, and the parts of the window that all controllers share."""

    services: Services
    bridge: Bridge
    actions: Actions
    opened: OpenSession
    toast: Toast
    background: Background
    history: WindowHistory
    attention: Attention
