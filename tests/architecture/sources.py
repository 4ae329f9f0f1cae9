"""The source files as text and syntax trees, for the tests of the house rules."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from gc import collect, freeze  # by name, because tests are given others that do nothing
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "app" / "stemmata"


@dataclass(frozen=True)
class Source:
    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def tree(self) -> ast.Module:
        return _trees().get(self.path) or ast.parse(self.text)

    @property
    def lines(self) -> int:
        return self.text.count("\n")

    @property
    def module(self) -> str:
        """The dotted name of the module, for files of the package."""
        parts = self.path.relative_to(PACKAGE.parent).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def at(self, node: ast.expr | ast.stmt) -> str:
        return f"{self.path.relative_to(ROOT)}:{node.lineno}"

    def __str__(self) -> str:
        return str(self.path.relative_to(ROOT))


@cache
def sources(folder: str) -> tuple[Source, ...]:
    """All Python files under a folder of the project, in order."""
    return tuple(Source(path) for path in sorted((ROOT / folder).rglob("*.py")))


@cache
def _trees() -> dict[Path, ast.Module]:
    """Parse the program and the tests, once in a process.

    The trees are millions of objects, which every search for garbage in the tests that follow would go through: a
    second each. So they are exempted from it, after the garbage of earlier tests is gone.
    """
    collect()
    paths = [source.path for folder in ("app", "tests") for source in sources(folder)]
    trees = {path: ast.parse(path.read_bytes()) for path in paths}
    freeze()
    return trees


Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(source: Source) -> Iterator[Function]:
    for node in ast.walk(source.tree):
        if isinstance(node, Function):
            yield node


def length(node: Function) -> int:
    """Return the number of lines from the first decorator to the last line of the body."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return (node.end_lineno or node.lineno) - first + 1
