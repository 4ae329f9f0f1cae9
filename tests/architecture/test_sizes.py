"""Size limits. There is no list of exceptions: what grows too large is split."""

from __future__ import annotations

import statistics

from tests.architecture.sources import functions, length, sources

FILE = 400
MEDIAN_FILE = 150
FUNCTION = 50
MOST_FUNCTIONS = 25  # nine of ten


def test_no_file_is_long() -> None:
    long = [f"{source}: {source.lines}" for source in sources("app") + sources("tests") if source.lines > FILE]
    assert not long


def test_most_files_are_short() -> None:
    assert statistics.median(source.lines for source in sources("app")) <= MEDIAN_FILE


def test_no_function_is_long() -> None:
    long = [
        f"{source.at(function)} {function.name}: {length(function)}"
        for source in sources("app") + sources("tests")
        for function in functions(source)
        if length(function) > FUNCTION
    ]
    assert not long


def test_most_functions_are_short() -> None:
    lengths = sorted(length(function) for source in sources("app") for function in functions(source))
    assert lengths[len(lengths) * 9 // 10] <= MOST_FUNCTIONS
