"""The input of a card, and the actions that it emits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum, auto

from stemmata.gui.core.pages import LoadedEntry
from stemmata.gui.core.shown_path import ContextSizes, Marks


class Stage(IntEnum):
    """The fate of an entry in a previewed compaction."""

    NONE = 0
    SUMMARISED = 1
    KEPT = 2
    PINNED = 3


class Request(Enum):
    """The kinds of actions that a card emits."""

    ACTIVATE = auto()
    COPY = auto()  # copy the entry's text as Markdown
    COPY_TEXT = auto()  # copy `text`
    COPY_JSON = auto()  # copy the JSON `text`, indented
    COPY_OUTPUT = auto()  # copy `text` as a terminal shows it
    WRAP = auto()  # wrap long lines of code, or stop it
    FORK = auto()
    EDIT = auto()
    PIN = auto()
    REGENERATE = auto()
    CONTINUE = auto()  # continue a reply that ended early
    SETTING = auto()  # open the setting whose key is `text`
    STOP = auto()  # stop the streaming reply
    SIBLING = auto()  # show a sibling, `step` further
    FOLD = auto()  # fold or unfold the part named `text`
    SHOW_ALL = auto()
    LINK = auto()  # open the address `text`
    UNDO_COMPACTION = auto()
    EDIT_COMPACTION = auto()
    SHOW_SUMMARISED = auto()
    SUBAGENT = auto()  # open the session that a call started; `text` is the id of the call
    IMAGE = auto()  # view an image; `text` is the SHA-256 of its bytes
    COPY_IMAGE = auto()  # copy an image; `text` is the SHA-256 of its bytes
    SAVE_IMAGE = auto()  # save an image in a file; `text` is the SHA-256 of its bytes
    MENU = auto()  # open the entry's menu
    COPY_SELECTION = auto()  # copy the selection, over any number of cards


@dataclass(frozen=True, slots=True)
class Action:
    """The action of a click. `text` and `step` are arguments of some requests, such as an address or a direction."""

    request: Request
    text: str = ""
    step: int = 0


@dataclass(frozen=True, slots=True)
class CardContent:
    """The values that determine a card's layout.

    `answers` are the results of its calls; `unfolded` names open parts.
    """

    entry: LoadedEntry
    answers: tuple[LoadedEntry, ...] = ()
    heading: bool = True
    unfolded: frozenset[str] = frozenset()
    whole: bool = False  # whether long blocks are shown in full
    cut: bool = False  # whether the cut line of a preview is above it
    sizes: ContextSizes | None = None  # computed contexts around a compaction
    expected: int = 0  # number of results; more than `answers` when the archive has lost some


NO_MARKS = Marks()


@dataclass(frozen=True, slots=True)
class CardMarks:
    """Marks that are painted around the layout and do not change its height."""

    marks: Marks = NO_MARKS
    stage: Stage = Stage.NONE
