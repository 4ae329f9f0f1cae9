"""What the process was called with, as far as it must be known before the command line is loaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

PLACES = {"--store": "store", "--profile": "folder"}  # global options with a value, by their name in Profile.choose
HELP = {"--help", "-h"}


def wants_window(arguments: Sequence[str]) -> bool:
    """Whether there is no command, or it is `open`. A call for help is for the command line."""
    return not HELP & set(arguments) and next(_operands(arguments), "open") == "open"


def to_open(arguments: Sequence[str]) -> str:
    """The session or file that `open` names, "" for none."""
    operands = _operands(arguments)
    return next(operands, "") if next(operands, "") == "open" else ""


def places(arguments: Sequence[str]) -> dict[str, str]:
    """The values of --store and --profile, as `Profile.choose` names them. The last one counts."""
    found: dict[str, str] = {}
    rest = iter(arguments)
    for argument in rest:
        name, separator, value = argument.partition("=")
        if name in PLACES:
            found[PLACES[name]] = value if separator else next(rest, "")
    return found


def _operands(arguments: Sequence[str]) -> Iterator[str]:
    """The arguments that are neither an option nor an option's value."""
    rest = iter(arguments)
    for argument in rest:
        if argument in PLACES:
            next(rest, None)
        elif not argument.startswith("-"):
            yield argument
