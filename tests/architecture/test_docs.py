"""The documentation names everything there is, and nothing that is not there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from stemmata.arguments import wants_window
from stemmata.cli.program import program
from stemmata.domain.entries.entry import Flag, Kind, Role
from stemmata.gui.window.action_table import TABLE
from stemmata.store.schema.migrations import MIGRATIONS
from stemmata.system.guide import PAGES as GUIDE
from stemmata.system.settings.schema import SCHEMA, Setting
from tests.architecture.sources import PACKAGE, ROOT, sources

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")
COMMANDS = sorted(program.commands)


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def section(text: str, title: str) -> str:
    """The part of a page under a second-level heading that starts with the title."""
    found = re.search(rf"^## `{re.escape(title)}\b.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"no section on {title}"
    return found[0]


def options(command: click.Command) -> Iterator[str]:
    """The long names of the command's own options."""
    everywhere = {parameter.name for parameter in program.params}
    for parameter in command.params:
        if isinstance(parameter, click.Option) and parameter.name not in everywhere:
            yield max(parameter.opts, key=len)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_link_leads_somewhere(path: Path) -> None:
    missing = [link for link in LINK.findall(path.read_text(encoding="utf-8")) if not (path.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented_with_its_options(name: str) -> None:
    text = section(page("command-line.md"), name)
    assert not [option for option in options(program.commands[name]) if f"`{option}" not in text]


def test_only_commands_that_exist_are_documented() -> None:
    assert re.findall(r"^## `([\w-]+)", page("command-line.md"), re.MULTILINE) == [*program.commands]


def test_the_global_options_are_documented() -> None:
    text = page("command-line.md")
    for parameter in program.params:
        assert f"`{max(parameter.opts, key=len)}" in text or f"`{parameter.opts[0]}" in text


@pytest.mark.parametrize("setting", SCHEMA, ids=lambda setting: setting.key)
def test_every_setting_is_documented(setting: Setting) -> None:
    default = "—" if setting.default is None else str(setting.default)
    (row,) = [line for line in page("settings.md").splitlines() if line.startswith(f"| `{setting.key}` ")]
    cells = [cell.strip().strip('`"') for cell in row.strip("|").split("|")]
    assert cells[1:3] == [default.lower(), setting.doc]


def test_only_settings_that_exist_are_documented() -> None:
    keys = [setting.key for setting in SCHEMA]
    assert re.findall(r"^\| `([\w.]+)`", page("settings.md"), re.MULTILINE) == keys


def test_every_shortcut_is_in_the_guide() -> None:
    text = page("guide.md")
    keys = {spec.id: spec.shortcut.replace("Return", "Enter") for spec in TABLE.specs if spec.shortcut}
    assert [id for id, shown in keys.items() if f"`{shown}`" not in text] == []
    assert not re.search(r"`[^`\n]*\bReturn\b", text), "the window calls the key Enter"


def test_kinds_roles_and_flags_are_in_the_store_format() -> None:
    """The page lists them by their numbers, which the archive stores."""
    text = page("store-format.md")
    assert f"in format {len(MIGRATIONS)}." in text
    rows = re.findall(r"^\| (\d+) \| ([^|]*) \| ([^|]*)\|$", text, re.MULTILINE)
    assert [int(number) for number, kind, _ in rows if kind.strip()] == sorted(Kind)
    assert [int(number) for number, _, role in rows if role.strip()] == sorted(Role)
    (flags,) = re.findall(r"^Flags: (.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    assert [int(number) for number in re.findall(r"\d+", flags)] == [flag.value for flag in Flag if flag]


def test_every_word_is_used_in_the_code() -> None:
    code = "".join(source.text.lower() for source in sources("app"))
    listed = re.findall(r"^\| (?:\w+ )?\*\*(\w+)\*\*", page("words.md"), re.MULTILINE)
    assert len(listed) > 20
    assert not [word for word in listed if not re.search(rf"\b{word}", code)]


def test_decisions_are_numbered_and_listed() -> None:
    files = sorted(path.name for path in (DOCS / "decisions").glob("*.md"))
    assert [name[:4] for name in files] == [f"{number:04}" for number in range(1, len(files) + 1)]
    assert re.findall(r"\(decisions/([^)]+)\)", page("index.md")) == files
    for name in files:
        assert page(f"decisions/{name}").startswith(f"# {name[:4]} ")


def test_every_page_is_listed() -> None:
    pages = {path.name for path in DOCS.glob("*.md")} - {"index.md"}
    assert pages <= set(re.findall(r"\(([^)/]+\.md)\)", page("index.md")))


def test_the_layout_is_described() -> None:
    parts = [path.name for path in PACKAGE.iterdir() if path.is_dir() and not path.name.startswith("__")]
    text = page("architecture.md")
    assert not [part for part in parts if f"    {part}/" not in text]


def shown_commands(name: str) -> list[list[str]]:
    """Return the `stemmata` commands that a page shows, in lines of their own or within a sentence, as words."""
    found = re.findall(r"(?:^|`|\| )stemmata( [^`|<>\n]*)?(?:`|[|<>]|$)", page(name), re.MULTILINE)
    return [shlex.split(words, comments=True) for words in found]


@pytest.mark.parametrize("name", [f"{name}.md" for name in GUIDE if name != "changelog"])
def test_every_shown_command_is_understood(name: str) -> None:
    for words in shown_commands(name):
        known = [word for word in words if word in program.commands]
        if not known:
            assert wants_window(words) or words[0] in ("--help", "--version", "session.jsonl", "…"), words
            continue
        command = program.commands[known[0]]
        rest = words[words.index(known[0]) + 1 :]
        options = {option for parameter in (*program.params, *command.params) for option in parameter.opts}
        assert {word.partition("=")[0] for word in rest if word.startswith("--")} <= options, words
