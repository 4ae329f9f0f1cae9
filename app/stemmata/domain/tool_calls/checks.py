"""Recognises shell commands that check the work (tests, linters, builds) and commands that only read.

It also reads the number of passed and failed tests from the output of a check.
"""

from __future__ import annotations

import re

_TOOLS = frozenset(
    """
    ava basedpyright biome black bundle-audit cargo-nextest checkstyle clang-tidy cppcheck credo ctest cypress
    detekt dialyzer eslint flake8 golangci-lint gotestsum hadolint jest karma ktlint luacheck markdownlint mocha
    mypy ninja nose2 nox oxlint phpcs phpstan phpunit playwright pre-commit prettier psalm pylint pyright pytest
    rspec rubocop ruff shellcheck standardrb staticcheck stylelint swiftlint tap tox trybuild tsc tsgo ty vitest
    vulture xcodebuild yamllint
    """.split()
)
_RUNNERS = frozenset(
    """
    ant bazel bazelisk bun cabal cargo cmake composer dart deno dotnet dune elixir flutter go gradle gradlew hatch
    just lein make mage meson mise mix mvn mvnw nmake node npm nx pants pdm perl php pnpm poetry python python3 rake
    rails sbt stack swift task turbo yarn zig
    """.split()
)
_WORDS = frozenset(
    """
    assemble build bench check checks ci clippy compile coverage doctest e2e format-check fmt-check install-check lint
    nextest spec test tests typecheck typechecks unittest validate verify vet
    """.split()
)
_ALONE = frozenset({"make", "nmake", "rake"})  # these build when they are given no target
_WRAPPERS = frozenset("sudo time env nice npx bunx pnpx uvx xvfb-run timeout exec command then do".split())
_RUN_PREFIXES = frozenset({("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("pdm", "run"), ("hatch", "run"),
                           ("bundle", "exec"), ("mise", "exec"), ("pnpm", "exec"), ("yarn", "exec"),
                           ("npm", "exec"), ("rye", "run"), ("pixi", "run")})  # fmt: skip

_LOOKING = frozenset(
    """
    [ awk basename bat cat cd cut date df diff dirname du echo env fd file find grep head hexdump jq less ls nl od ps
    printf pwd readlink realpath rg sort stat tail test tr tree true type uniq wc which xxd
    """.split()
)
_GIT_LOOKING = frozenset("blame branch diff describe grep log ls-files reflog remote rev-parse show status".split())
_WRITES = re.compile(r"(?<![0-9&>])>{1,2}(?!&)\s*(?!/dev/null)\S|\s-(?:delete|exec)\b")
_QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"")
_SEGMENT = re.compile(r"&&|\|\||[;|\n]")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_MOVED = re.compile(r"^cd [^\s;&|]+ *(?:&&|;|\n) *")
_STAGED = re.compile(r"\bgit add [^;&|\n]*&& *(?=git commit\b)")
_CUT = re.compile(r"(?:2>&1 *)?(?:\| *(?:head|tail|grep|less|cat)\b(?:[^|;&'\"\n]|\"[^\"]*\"|'[^']*')*)+$|2>&1$")
_END = 4000  # characters at the end of an output that are looked at
_SUMMARY = re.compile(
    r"=* ?(?:\d+ \w+, )*\d+ (?:passed|failed)\b.* in [\d.]+ ?s"  # pytest
    r"|\s*Tests:?\s+.*\b\d+ (?:passed|failed)\b"  # Jest, Vitest
    r"|test result: "  # Cargo
    r"|\s*\d+ (?:passing|failing)\b"  # Mocha
)
_COUNT = re.compile(r"(\d{1,9}) (pass|fail)(?:ed|ing)\b")
_LONGEST = 4000  # a command longer than this is a script in a here-document


def is_check(command: str) -> bool:
    """Return whether any part of the command line runs tests, a linter, a type checker or a build."""
    return any(_checks(segment.split()) for segment in _SEGMENT.split(command[:_LONGEST]))


def verdict(text: str) -> tuple[int, int] | None:
    """Return the numbers of passed and failed tests from the summaries at the end of an output; None without one."""
    passed = failed = 0
    seen = False
    for line in text[-_END:].splitlines():
        if _SUMMARY.match(line[:400]):
            for count, how in _COUNT.findall(line[:400]):
                seen = True
                passed += int(count) if how == "pass" else 0
                failed += int(count) if how == "fail" else 0
    return (passed, failed) if seen else None


def core_command(command: str) -> str:
    """Return the command without a leading `cd` or `git add`, and without trailing filters such as `| tail -5`."""
    return _CUT.sub("", _STAGED.sub("", _MOVED.sub("", command, count=1))).rstrip()


def _checks(words: list[str]) -> bool:
    words = _unwrapped(words)
    if not words:
        return False
    name = _tool_name(words[0])
    if name in _TOOLS:
        return True
    if name not in _RUNNERS:
        return False
    return (name in _ALONE and len(words) == 1) or any(_is_check_word(word) for word in words[1:])


def _unwrapped(words: list[str]) -> list[str]:
    """Return the words without leading variable assignments and programs that only start another program."""
    at = 0
    while at < len(words):
        if tuple(words[at : at + 2]) in _RUN_PREFIXES:
            at += 2
        elif _starts_another(words, at):
            at += 1
        else:
            break
    return words[at:]


def _starts_another(words: list[str], at: int) -> bool:
    word = words[at]
    if word in _WRAPPERS or word == "--" or _ASSIGNMENT.match(word):
        return True
    return at > 0 and (word.startswith("-") or words[at - 1] == "timeout")


def _tool_name(word: str) -> str:
    return word.strip("(){}'\"").rpartition("/")[2].removesuffix(".cmd").removesuffix(".exe")


def _is_check_word(word: str) -> bool:
    """Return whether a word names a check, such as `test`, `test:unit`, `--test` or `app:assembleDebug`."""
    target = word.strip("'\"").lstrip("-")
    if "/" in target or "." in target:  # a path names a file, not a target
        return False
    return target in _TOOLS or any(part.lower() in _WORDS for part in re.split(r"[:_-]|(?<=[a-z])(?=[A-Z])", target))


def only_reads(command: str) -> bool:
    """Return whether the command line changes nothing, because every part of it prints, searches or lists."""
    unquoted = _QUOTED.sub("_", command[: _LONGEST + 1])
    if len(command) > _LONGEST or _WRITES.search(unquoted):
        return False
    segments = [words for segment in _SEGMENT.split(unquoted) if (words := segment.split())]
    return all(_looks(words) for words in segments)


def _looks(words: list[str]) -> bool:
    name = _tool_name(words[0])
    if name == "git":
        return len(words) > 1 and words[1] in _GIT_LOOKING
    if name == "sed":
        return "-n" in words[1:]
    return name in _LOOKING or name.startswith("#")
