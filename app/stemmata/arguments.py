"""What the process was called with, as far as it must be known before the command line is loaded."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

PLACES = {"--store": "store", "--profile": "folder"}  # global options with a value, by their name in Profile.choose
HELP = {"--help", "-h"}
SWITCH = re.compile(r"-v+|--(?:verbose|quiet|json)")
LINK = "stemmata://"


def wants_window(arguments: Sequence[str]) -> bool:
    """Whether there is no command, or it is `open`, or a file stands in its place.

    A call for help is for the command line, and so is what is not understood here: that one says what is wrong.
    """
    operands = _operands(arguments)
    if operands is None or HELP & set(arguments):
        return False
    return not operands or (operands[0] == "open" and len(operands) <= 2) or _is_file(operands)


def to_open(arguments: Sequence[str]) -> str:
    """The session or file that `open` names, or the file given without it; "" for none."""
    operands = _operands(arguments) or []
    if operands[:1] == ["open"]:
        operands = operands[1:]
    elif not _is_file(operands):
        operands = []
    return next(iter(operands), "")


def places(arguments: Sequence[str]) -> dict[str, str]:
    """The values of --store and --profile, as `Profile.choose` names them. The last one counts."""
    found: dict[str, str] = {}
    rest = iter(arguments)
    for argument in rest:
        name, separator, value = argument.partition("=")
        if name in PLACES:
            found[PLACES[name]] = value if separator else next(rest, "")
    return found


def _operands(arguments: Sequence[str]) -> list[str] | None:
    """The arguments that are neither an option nor an option's value; None with an option that no window has."""
    operands: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            return [*operands, *rest]
        if argument in PLACES:
            if next(rest, None) is None:
                return None
        elif not argument.startswith("-"):
            operands.append(argument)
        elif argument.partition("=")[0] not in PLACES and not SWITCH.fullmatch(argument):
            return None
    return operands


def _is_file(operands: Sequence[str]) -> bool:
    """Whether it is a file or a link of ours, and nothing else. No command has a point or a slash in its name."""
    if len(operands) != 1:
        return False
    [name] = operands
    return name.startswith(LINK) or (("." in name or os.sep in name) and os.path.isfile(name))
