"""Parse the arguments that are needed before the command line is imported."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

PROFILE_OPTIONS = {"--store": "store", "--profile": "folder"}  # global option → parameter of Profile.choose
HELP = {"--help", "-h"}
SWITCH = re.compile(r"-v+|--(?:verbose|quiet|json)")
LINK = "stemmata://"
DASH = "-"  # stands for a session on standard input


def wants_window(arguments: Sequence[str]) -> bool:
    """Return whether to open the window: no command is given, or `open`, or a session file.

    The command line handles requests for help, and reports arguments that are not understood here.
    """
    operands = _operands(arguments)
    if operands is None or HELP & set(arguments):
        return False
    return not operands or (operands[0] == "open" and len(operands) <= 2) or _is_file(operands)


def name_to_open(arguments: Sequence[str]) -> str:
    """Return the session or file to open, or ""."""
    operands = _operands(arguments) or []
    if operands[:1] == ["open"]:
        operands = operands[1:]
    elif not _is_file(operands):
        operands = []
    return next(iter(operands), "")


def profile_options(arguments: Sequence[str]) -> dict[str, str]:
    """Return the values of --store and --profile, by parameter of `Profile.choose`; the last one counts."""
    found: dict[str, str] = {}
    rest = iter(arguments)
    for argument in rest:
        name, separator, value = argument.partition("=")
        if name in PROFILE_OPTIONS:
            found[PROFILE_OPTIONS[name]] = value if separator else next(rest, "")
    return found


def _operands(arguments: Sequence[str]) -> list[str] | None:
    """Return the arguments that are neither options nor option values.

    Returns None when an option is not valid for the window.
    """
    operands: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            return [*operands, *rest]
        if argument in PROFILE_OPTIONS:
            if next(rest, None) is None:
                return None
        elif not argument.startswith("-") or argument == DASH:
            operands.append(argument)
        elif argument.partition("=")[0] not in PROFILE_OPTIONS and not SWITCH.fullmatch(argument):
            return None
    return operands


def _is_file(operands: Sequence[str]) -> bool:
    """Return whether the only operand is a file, "-" for standard input, or a stemmata:// link.

    Command names contain neither a dot nor a slash.
    """
    if len(operands) != 1:
        return False
    [name] = operands
    return name == DASH or name.startswith(LINK) or (("." in name or os.sep in name) and os.path.isfile(name))
