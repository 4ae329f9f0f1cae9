"""Size limits of functions. Files have none: a coherent long file reads better than slices of one."""

from __future__ import annotations

from tests.architecture.sources import functions, length, sources

FUNCTION = 50
MOST_FUNCTIONS = 25  # nine of ten


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
