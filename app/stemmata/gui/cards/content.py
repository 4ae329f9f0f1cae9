"""What a card is made from, and what it asks for when it is clicked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum, auto

from stemmata.gui.core.pages import Loaded
from stemmata.gui.core.shown_path import ContextSizes, Marks


class Stage(IntEnum):
    """Where an entry would stand after the compaction that is being previewed."""

    NONE = 0
    SUMMARISED = 1
    KEPT = 2
    PINNED = 3


class Request(Enum):
    """What a click on a part of a card asks for."""

    ACTIVATE = auto()
    COPY = auto()  # the entry's text as Markdown
    COPY_TEXT = auto()  # `text`
    FORK = auto()
    EDIT = auto()
    PIN = auto()
    REGENERATE = auto()
    CONTINUE = auto()  # the reply where it came to an end that is none
    SETTING = auto()  # to be changed; `text` is its key
    STOP = auto()  # the reply that is streaming
    SIBLING = auto()  # `step`
    FOLD = auto()  # `text` names the part to fold or unfold
    SHOW_ALL = auto()
    LINK = auto()  # `text` is the target
    UNDO_COMPACTION = auto()
    EDIT_COMPACTION = auto()
    SHOW_SUMMARISED = auto()
    SUBAGENT = auto()  # the session that a call has begun; `text` is the id of the call
    IMAGE = auto()  # to be looked at; `text` is the digest of its bytes
    MENU = auto()  # what can be done with the entry
    COPY_SELECTION = auto()  # what is selected, over any number of cards


@dataclass(frozen=True, slots=True)
class Action:
    request: Request
    text: str = ""
    step: int = 0


@dataclass(frozen=True, slots=True)
class CardContent:
    """What decides how a card is laid out. `answers` are the results of its calls; `unfolded` names open parts."""

    entry: Loaded
    answers: tuple[Loaded, ...] = ()
    heading: bool = True
    unfolded: frozenset[str] = frozenset()
    whole: bool = False  # long blocks at full length
    cut: bool = False  # the cut line of a preview stands above it
    sizes: ContextSizes | None = None  # of the contexts around a compaction, where the tree tells
    expected: int = 0  # answers there are; more than `answers` where the archive has lost some


NO_MARKS = Marks()


@dataclass(frozen=True, slots=True)
class CardMarks:
    """What is painted around the layout and changes no height."""

    marks: Marks = NO_MARKS
    stage: Stage = Stage.NONE
