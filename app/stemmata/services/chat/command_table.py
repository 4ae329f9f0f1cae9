"""The slash commands: their names and arguments, and suggestions for typos."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from stemmata.domain.errors import NotFoundError
from stemmata.domain.text.phrases import Phrase


@dataclass(frozen=True, slots=True)
class ChatCommand:
    """A command. `takes` names its arguments; `choices` is the kind of completion, "" for none."""

    name: str
    help: str
    takes: str = ""
    choices: str = ""  # sessions | models | levels | formats | skills

    @property
    def usage(self) -> str:
        """The command with its arguments."""
        return f"/{self.name} [{self.takes}]" if self.takes else f"/{self.name}"


_C = ChatCommand
COMMANDS = (
    _C("status", "Show the model, the size of the context, and the run"),
    _C("new", "Start another chat"),
    _C("clear", "Start another chat; this one stays in the list"),
    _C("reset", "Begin a new session of this conversation; /reset back returns to the previous session", "back"),
    _C("compact", "Summarise what is old and keep what is recent", "focus"),
    _C("prune", "Prune old tool output, or only duplicates, from the context", "duplicates"),
    _C("resume", "Resume another session: in full if it fits, otherwise from a summary", "session", "sessions"),
    _C("abort", "Stop the reply"),
    _C("tree", "The branches of the session"),
    _C("fork", "Fork this branch to a session of its own", "entry"),
    _C("label", "Label the current leaf", "text"),
    _C("name", "Name the session", "text"),
    _C("context", "Show the context of the next request"),
    _C("model", "Choose a model", "model", "models"),
    _C("summariser", "Choose the model that writes summaries of this session", "model or default", "models"),
    _C("skills", "List the skills of the chosen folders"),
    _C("skill", "Activate a skill in this session; /skill NAME off deactivates it", "name", "skills"),
    _C("think", "Choose a thinking level", "level or tokens", "levels"),
    _C("verbose", "Choose which notices this session shows: off, on or full", "off, on or full", "verbosities"),
    _C("export", "Export the session", "format file", "formats"),
    _C("help", "List the commands"),
)


@dataclass(frozen=True, slots=True)
class TypedCommand:
    """A message that looks like a command. `name` is in lower case; the command may not exist."""

    name: str
    rest: str


@dataclass(frozen=True, slots=True)
class Completion:
    """A completion of a command's argument, with an explanation when the value needs one."""

    text: str
    help: str = ""

    def fits(self, begun: str) -> bool:
        """Whether the choice completes the typed text."""
        return self.text.lower().startswith(begun) or begun in self.help.lower()


class UnknownCommandError(NotFoundError):
    """No command has this name. `nearest` is the most similar one, "" for none."""

    def __init__(self, name: str) -> None:
        near = get_close_matches(name, [command.name for command in COMMANDS], 1)
        self.nearest = near[0] if near else ""
        told = Phrase("Unknown command /{0}. /help lists all commands. Nothing was sent.", name)
        if near:
            told = Phrase(
                "Unknown command /{0}. Did you mean /{1}? /help lists all commands. Nothing was sent.", name, near[0]
            )
        super().__init__(told)


def typed(text: str) -> TypedCommand | None:
    """Parse a message as a command; None for a message to send: a path, several lines, or a doubled slash."""
    name, _space, rest = text.strip().partition(" ")
    if not name.startswith("/") or not name[1:].isalpha() or "\n" in text.strip():
        return None
    return TypedCommand(name[1:].lower(), rest.strip())


def literal(text: str) -> str:
    """Return the text to send: a doubled slash at the start becomes one slash."""
    return text[1:] if text.startswith("//") else text


def command(name: str) -> ChatCommand:
    """Return the command with a name. Raises UnknownCommandError with a suggestion."""
    for found in COMMANDS:
        if found.name == name:
            return found
    raise UnknownCommandError(name)


def begun(text: str) -> tuple[ChatCommand, ...]:
    """Return the commands that start with the typed text, while its first word is incomplete."""
    if not text.startswith("/") or any(character.isspace() for character in text):
        return ()
    return tuple(found for found in COMMANDS if found.name.startswith(text[1:].lower()))
