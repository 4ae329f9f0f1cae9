"""The commands that may be typed as a message: what they are called, what they take, and what was meant by a typo."""

from __future__ import annotations

from dataclasses import dataclass

from stemmata.domain.errors import NotFoundError
from stemmata.domain.text.phrases import Phrase


@dataclass(frozen=True, slots=True)
class Command:
    """`takes` names what may be written behind it; `choices` which of it is completed, "" for nothing."""

    name: str
    help: str
    takes: str = ""
    choices: str = ""  # sessions | models | levels | formats

    @property
    def usage(self) -> str:
        return f"/{self.name} [{self.takes}]" if self.takes else f"/{self.name}"


_C = Command
COMMANDS = (
    _C("status", "What answers here, how full its window is, and what runs"),
    _C("new", "Start another chat"),
    _C("clear", "Start another chat; this one stays in the list"),
    _C("compact", "Summarise what is old and keep what is recent", "focus"),
    _C("prune", "Leave old tool output out of the context"),
    _C("resume", "Go on with another session: whole when it fits, else from its summary", "session", "sessions"),
    _C("abort", "Stop the reply"),
    _C("tree", "The branches of the session"),
    _C("fork", "Fork this branch to a session of its own", "entry"),
    _C("label", "Label where the session stands", "text"),
    _C("name", "Name the session", "text"),
    _C("context", "Show what the next request holds"),
    _C("model", "Choose a model", "model", "models"),
    _C("think", "Choose how much it thinks", "level", "levels"),
    _C("export", "Export the session", "format file", "formats"),
    _C("help", "List the commands"),
)


@dataclass(frozen=True, slots=True)
class Typed:
    """A message that is meant as a command. `name` is in lower case and need not be one there is."""

    name: str
    rest: str


@dataclass(frozen=True, slots=True)
class Choice:
    """What may be written behind a command, and what it is where that does not say it."""

    text: str
    help: str = ""

    def fits(self, begun: str) -> bool:
        return self.text.lower().startswith(begun) or begun in self.help.lower()


class UnknownCommandError(NotFoundError):
    """`nearest` is the command that may have been meant, "" for none."""

    def __init__(self, name: str) -> None:
        from difflib import get_close_matches  # the first window knows the table and makes no typo

        near = get_close_matches(name, [command.name for command in COMMANDS], 1)
        self.nearest = near[0] if near else ""
        told = Phrase("There is no command /{0}. /help lists them. Nothing was sent.", name)
        if near:
            told = Phrase(
                "There is no command /{0}. Did you mean /{1}? /help lists them. Nothing was sent.", name, near[0]
            )
        super().__init__(told)


def typed(text: str) -> Typed | None:
    """None for what is a message: a path, two lines, or a slash that was doubled."""
    name, _space, rest = text.strip().partition(" ")
    if not name.startswith("/") or not name[1:].isalpha() or "\n" in text.strip():
        return None
    return Typed(name[1:].lower(), rest.strip())


def literal(text: str) -> str:
    """What is sent of a message: the first slash of two stands for none."""
    return text[1:] if text.startswith("//") else text


def command(name: str) -> Command:
    """Raises UnknownCommandError, which says what may have been meant."""
    for found in COMMANDS:
        if found.name == name:
            return found
    raise UnknownCommandError(name)


def begun(text: str) -> tuple[Command, ...]:
    """The commands that a text may become, while its first word is being written."""
    if not text.startswith("/") or any(character.isspace() for character in text):
        return ()
    return tuple(found for found in COMMANDS if found.name.startswith(text[1:].lower()))
