from __future__ import annotations

import json
import os
import re
import stat
import tempfile
import tomllib
from pathlib import Path

import pytest
import tomlkit
from hypothesis import assume, given
from hypothesis import strategies as st

from stemmata.domain.settings.settings import CompactionSettings
from stemmata.system.settings.schema import SCHEMA, SETTINGS, Setting, Settings, Value
from stemmata.system.settings.settings import SettingsError, change, load
from stemmata.system.settings.toml_positions import key_offsets

BY_HAND = """# my settings
[compaction]  # what I changed
threshold_percent = 70  # earlier than usual

[window]
theme = "dark"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.toml"


def write(path: Path, text: str | bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def values(settings: Settings) -> dict[str, Value | None]:
    sections = {
        "window": settings.window._asdict(),
        "compaction": settings.compaction._asdict(),
        "chat": settings.chat._asdict(),
        "sources": settings.sources._asdict(),
        "search": settings.search._asdict(),
        "shortcuts": settings.shortcuts,
    }
    return {f"{section}.{name}": value for section, facts in sections.items() for name, value in facts.items()}


# -- the schema


def test_the_schema_names_every_setting_once() -> None:
    assert [setting.key for setting in SCHEMA] == list(SETTINGS)
    assert set(SETTINGS) == set(values(Settings()))


@pytest.mark.parametrize("setting", SCHEMA, ids=lambda setting: setting.key)
def test_every_setting_has_a_valid_default_and_is_explained(setting: Setting) -> None:
    assert setting.default is None if setting.optional else setting.accepts(setting.default)
    assert setting.doc.endswith(".")
    assert setting.expected


def test_no_file_means_the_defaults(path: Path) -> None:
    loaded = load(path)
    assert loaded.settings == Settings()
    assert loaded.settings.compaction == CompactionSettings()
    assert loaded.problem is None
    assert not path.exists()


# -- places


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[window]\ntheme = 'dark'\n  font_scale = 5\n", "line 3, column 3: window.font_scale must be"),
        ("\n\nwindow = 3", "line 3, column 1: “window” is not a section"),
        ("window.theme = 3", "line 1, column 1: window.theme must be"),
        ('[chat]\nsystem_prompt = """\n[window]\n"""\n[window]\ncolour = 1', "line 6, column 1: unknown"),
        ('[shortcuts]\n"a.b" = 1', "line 2, column 1: shortcuts.a.b must be"),
        (
            "[[connections]]\nname = 'a'\n\n[[connections]]\nname = 'b'\napi = 'odd'",
            "line 6, column 1: connection “b”",
        ),
        (
            "[[connections]]\nname = 'a'\n[[connections]]\nname = 'a'",
            "line 3, column 1: connections: the name “a”",
        ),
        ("[[connections]]\napi = 'anthropic'", "line 1, column 1: connections: an item needs a name"),
        ("connections = [\n{name = 'a', api = 'odd'}]", "line 1, column 1: connection “a”: api must be"),
        ("[models]\n[models.'x.y']\nwindow = -1", "line 3, column 1: model “x.y”: window must be"),
        ("[chat]\r\n\tretries = 99\r\n", "line 2, column 2: chat.retries must be"),
        (
            "[chat]\ndefault_connection = 'a'\n[[connections]]\nname = 'b'",
            "line 2, column 1: chat.default_connection names an unknown connection, “a”",
        ),
        (
            "[compaction]\nconnection = 'a'\n[[connections]]\nname = 'b'",
            "line 2, column 1: compaction.connection names an unknown connection, “a”",
        ),
        (
            "[search]\nembedding_connection = 'a'\n[[connections]]\nname = 'b'",
            "line 2, column 1: search.embedding_connection names an unknown connection, “a”",
        ),
        ("a = ", "at line 1, column 5"),
        ("[window]\ntheme =", "at line 2, column 8, its end"),
        (b"[window]\n# \xc3\xa9 \xff", "not UTF-8 (at line 2, column 5)"),
    ],
)
def test_a_problem_is_told_with_its_place(path: Path, text: str | bytes, told: str) -> None:
    write(path, text)
    assert told in str(load(path).problem)


def test_problems_are_told_in_the_order_of_the_file(path: Path) -> None:
    write(path, "[other]\nx = 1\n[chat]\nretries = 99\n[window]\ntheme = 1\n")
    assert re.findall(r"line (\d+)", str(load(path).problem)) == ["2", "4", "6"]


def test_it_is_known_whether_what_is_wrong_hides_whom_to_ask(path: Path) -> None:
    for text, hides in (
        ("a = ", True), ("[[connections]]\nname = 3", True), ("connections = 3", True), ("chat = 3", True),
        ("[chat]\ndefault_connection = 3", True),
        ("[chat]\ndefault_connection = 'gone'\n[[connections]]\nname = 'b'", True),
        ("[chat]\nretries = 99", False), ("[window]\ntheme = 1", False), ("", False),
    ):  # fmt: skip
        write(path, text)
        assert load(path).hides_connections is hides, text


KEYS = st.text("ab-_", min_size=1, max_size=3) | st.text("a.\"#[]=é\\\n'", min_size=1, max_size=4)
TEXTS = st.text("a \n\"'#[]{}=\\é", max_size=8)
DOCUMENTS = st.recursive(
    st.dictionaries(KEYS, TEXTS | st.integers() | st.lists(TEXTS, max_size=2), max_size=3),
    lambda inner: st.dictionaries(KEYS, inner | st.lists(inner, min_size=1, max_size=2), max_size=3),
    max_leaves=8,
)


@given(DOCUMENTS)
def test_the_place_of_every_key_is_found_in_what_a_writer_of_toml_writes(document: dict[str, object]) -> None:
    text = tomlkit.dumps(document)
    assume(tomllib.loads(text) == document)
    found = key_offsets(text)
    for path in paths_of(document):
        if path not in found:
            assert any(isinstance(part, int) for part in path), "only inside of a list a place may be unknown"
            continue
        line, last = text[found[path] :].partition("\n")[0], str(path[-1])
        assert last in line or json.dumps(last, ensure_ascii=False)[1:-1] in line


def paths_of(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [path] if path and isinstance(path[-1], str) else []
    return found + [deeper for key, part in inner for deeper in paths_of(part, (*path, key))]


# -- reading


def test_what_the_file_says_counts(path: Path) -> None:
    write(path, BY_HAND)
    loaded = load(path)
    assert loaded.problem is None
    assert loaded.settings.compaction == CompactionSettings(threshold_percent=70)
    assert loaded.settings.window.theme == "dark"


@pytest.mark.parametrize(
    "text",
    ["window = ", "[window", b"\xff\xfe", "a = " + "[" * 5000, b"\0" * 100],
    ids=["cut", "open", "not-utf8", "deep", "zeros"],
)
def test_a_broken_file_gives_the_defaults_and_says_so(path: Path, text: str | bytes) -> None:
    write(path, text)
    before = path.read_bytes()
    loaded = load(path)
    assert loaded.settings == Settings()
    assert loaded.problem is not None
    assert "Defaults" in str(loaded.problem)
    with pytest.raises(SettingsError, match="Nothing was changed"):
        change(path, "window.theme", "dark")
    assert path.read_bytes() == before


def test_a_folder_in_the_files_place_is_said(path: Path) -> None:
    path.mkdir(parents=True)
    assert load(path).problem is not None
    with pytest.raises(SettingsError):
        change(path, "window.theme", "dark")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "[compaction]\nthreshold_percent = 101",
            "compaction.threshold_percent must be a whole number from 10 to 100",
        ),
        ('[compaction]\nthreshold_percent = "80"', "compaction.threshold_percent must be a whole number"),
        ("[compaction]\nreserve_tokens = true", "compaction.reserve_tokens must be a whole number"),
        ("[compaction]\nenabled = 1", "compaction.enabled must be true or false"),
        ('[window]\ntheme = "blue"', 'window.theme must be one of "system", "light", "dark"'),
        ("[window]\ncolour = 1", "unknown setting “window.colour”"),
        ("window = 3", "“window” is not a section"),
        ("window = []", "“window” is not a section"),
        ("[other]\nx = 1", "unknown setting “other.x”"),
    ],
)
def test_a_wrong_value_costs_itself_only(path: Path, text: str, told: str) -> None:
    write(path, text)
    loaded = load(path)
    assert loaded.settings == Settings()
    assert told in str(loaded.problem)


def test_the_right_values_of_a_partly_wrong_file_count(path: Path) -> None:
    write(path, BY_HAND.replace('"dark"', '"blue"'))
    loaded = load(path)
    assert loaded.settings.compaction.threshold_percent == 70
    assert loaded.settings.window.theme == "system"
    assert "window.theme" in str(loaded.problem)


# -- writing


def test_a_change_keeps_what_people_wrote(path: Path) -> None:
    write(path, BY_HAND)
    settings = change(path, "compaction.threshold_percent", 60)
    assert settings.compaction.threshold_percent == 60
    assert path.read_text() == BY_HAND.replace("70", "60")


def test_the_first_change_makes_the_file_for_its_owner_alone(path: Path) -> None:
    change(path, "window.font_scale", 120)
    assert path.read_text() == "[window]\nfont_scale = 120\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_taking_a_setting_out_brings_the_default_back(path: Path) -> None:
    write(path, BY_HAND)
    assert change(path, "window.theme", None).window.theme == "system"
    assert "theme" not in path.read_text()
    assert change(path, "window.theme", None).window.theme == "system"


def test_a_linked_file_stays_a_link(path: Path, tmp_path: Path) -> None:
    write(path, "")
    real = tmp_path / "real.toml"
    path.rename(real)
    path.symlink_to(real)
    change(path, "window.theme", "dark")
    assert path.is_symlink()
    assert "dark" in real.read_text()


@pytest.mark.parametrize(
    ("key", "value"), [("window.colour", "red"), ("window", "x"), ("window.theme", "red"), ("compaction.enabled", 1)]
)
def test_a_wrong_change_is_refused(path: Path, key: str, value: Value) -> None:
    with pytest.raises(SettingsError):
        change(path, key, value)
    assert not path.exists()


def test_a_change_in_a_section_that_is_none_is_refused(path: Path) -> None:
    write(path, "window = 3\n")
    with pytest.raises(SettingsError, match="not a section"):
        change(path, "window.theme", "dark")
    assert path.read_text() == "window = 3\n"


def test_a_change_that_cannot_be_written_leaves_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(path, BY_HAND)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SettingsError, match="No space left"):
        change(path, "window.theme", "light")
    assert path.read_text() == BY_HAND
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@st.composite
def choices(draw: st.DrawFn) -> tuple[str, Value]:
    setting = draw(st.sampled_from(SCHEMA))
    if setting.is_table:
        names = st.text(min_size=1, max_size=9).filter(lambda name: name.isprintable() and name == name.lower())
        return setting.key, draw(st.dictionaries(names, st.sampled_from(setting.choices), max_size=4))
    if setting.choices:
        return setting.key, draw(st.sampled_from(setting.choices))
    if isinstance(setting.default, bool):
        return setting.key, draw(st.booleans())
    if isinstance(setting.default, str):
        return setting.key, draw(st.text(max_size=min(setting.most, 50)).filter(str.isprintable))
    return setting.key, draw(st.integers(setting.least, setting.most))


def test_a_table_keeps_its_valid_rows(path: Path) -> None:
    """A wrong row costs itself alone, and the report names its line."""
    write(
        path, '[compaction.tools]\nRead = "keep"\nread = "prune"\nBash = "maybe"\n"" = "keep"\nGrep = "summarise"\n'
    )
    loaded = load(path)
    assert loaded.settings.compaction.tools == {"Read": "keep", "Grep": "summarise"}
    assert str(loaded.problem).count("compaction.tools: ") == 3
    assert 'line 4, column 1: compaction.tools: “Bash” must be one of "prune", "keep", "summarise"' in str(
        loaded.problem
    )


def test_a_table_that_is_none_is_told(path: Path) -> None:
    write(path, '[compaction]\ntools = "keep"\nenabled = false\n')
    loaded = load(path)
    assert loaded.settings.compaction == CompactionSettings(enabled=False)
    assert "a table of names" in str(loaded.problem)


def test_changing_a_row_keeps_the_comments_of_the_others(path: Path) -> None:
    write(path, '[compaction.tools]\nRead = "keep"  # I need them\nBash = "keep"\n')
    change(path, "compaction.tools", {"Read": "keep", "Grep": "summarise"})
    assert path.read_text() == '[compaction.tools]\nRead = "keep"  # I need them\nGrep = "summarise"\n'
    nothings: tuple[Value | None, ...] = ({}, None)
    for nothing in nothings:
        change(path, "compaction.tools", {"Read": "keep"})
        change(path, "compaction.tools", nothing)
        assert load(path).settings.compaction.tools == {}
        assert "tools" not in path.read_text()
    with pytest.raises(SettingsError, match="a table of names"):
        change(path, "compaction.tools", {"Read": "maybe"})


@given(st.lists(choices(), max_size=8))
def test_what_is_written_is_read_back(made: list[tuple[str, Value]]) -> None:
    path = Path(tempfile.mkdtemp(dir=Path.home())) / "settings.toml"
    expected = values(Settings())
    for key, value in made:
        expected[key] = value
        assert values(change(path, key, value)) == expected
    assert load(path).problem is None


# -- settings under an old name


def put(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(("old", "place"), [("true", "stemmata"), ("false", "off")])
def test_an_old_name_is_understood_and_told(path: Path, old: str, place: str) -> None:
    put(path, f"[compaction]\nmemory_flush = {old}\n")
    loaded = load(path)
    assert loaded.settings.compaction.memory_place == place
    told = f'compaction.memory_flush is an old name; it was read as compaction.memory_place = "{place}"'
    assert str(loaded.problem) == f"{path}, line 2, column 1: {told}."


def test_the_new_name_wins(path: Path) -> None:
    put(path, '[compaction]\nmemory_flush = true\nmemory_place = "workspace"\n')
    loaded = load(path)
    assert loaded.settings.compaction.memory_place == "workspace"
    assert "line 2, column 1: compaction.memory_flush is an old name of compaction.memory_place" in str(
        loaded.problem
    )


def test_an_invalid_value_under_an_old_name_is_told(path: Path) -> None:
    put(path, "[compaction]\nmemory_flush = 1\n")
    loaded = load(path)
    assert loaded.settings.compaction.memory_place == "off"
    assert "must be true or false; its new name is compaction.memory_place" in str(loaded.problem)
    assert str(loaded.problem).endswith("The defaults are used for these values.")


def test_beside_an_old_name_the_defaults_are_used_for_other_problems(path: Path) -> None:
    put(path, "[compaction]\nmemory_flush = true\nenabled = 3\n")
    assert str(load(path).problem).endswith("The defaults are used for values that were not read.")


def test_a_change_takes_the_old_name_out(path: Path) -> None:
    put(path, "[compaction]\nmemory_flush = true # mine\nenabled = true\n")
    assert change(path, "compaction.memory_place", None).compaction.memory_place == "off"
    assert path.read_text() == "[compaction]\nenabled = true\n"
    with pytest.raises(SettingsError, match=r"memory_flush\. It is now compaction\.memory_place\. Nothing"):
        change(path, "compaction.memory_flush", value=True)
