"""All use cases together, as bootstrap wires them."""

from __future__ import annotations

from dataclasses import dataclass

from stemmata.services.branching import Branching
from stemmata.services.compaction import Compactions
from stemmata.services.comparing import Comparing
from stemmata.services.contexts import Contexts
from stemmata.services.entries import Entries
from stemmata.services.exporting import Exporting
from stemmata.services.importing import Importing
from stemmata.services.notices import Notices
from stemmata.services.ports import Pages
from stemmata.services.pruning import Pruning
from stemmata.services.requests import Requests
from stemmata.services.searching import Searching
from stemmata.services.sessions import Sessions


@dataclass(frozen=True)
class Services:
    """`pages` belongs to the thread that first uses it: in the window, the GUI thread."""

    sessions: Sessions
    entries: Entries
    importing: Importing
    contexts: Contexts
    compaction: Compactions
    pruning: Pruning
    requests: Requests
    branching: Branching
    comparing: Comparing
    searching: Searching
    exporting: Exporting
    notices: Notices
    pages: Pages
