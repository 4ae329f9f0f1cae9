"""Connections, tool servers and models in the settings file: kept with their comments, wrong ones reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemmata.domain.chat.catalogue import Model
from stemmata.domain.chat.connections import Connection, OfferedModel
from stemmata.domain.chat.tool_servers import ToolServer
from stemmata.system.models.catalogue import ModelCache
from stemmata.system.settings.connections_file import ConnectionsFile
from stemmata.system.settings.settings import SettingsError, load

BY_HAND = """# mine
[[connections]]  # at home
name = "home"
api = "openai-chat"
base_url = "http://127.0.0.1:1234/v1"  # the big machine

[window]
theme = "dark"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def test_a_connection_is_added_changed_and_taken_out(path: Path) -> None:
    path.write_text(BY_HAND)
    file = ConnectionsFile(path)
    [home] = file.connections()
    assert home == Connection(name="home", api="openai-chat", base_url="http://127.0.0.1:1234/v1")
    work = Connection(name="work", model="claude-x", variable="WORK_KEY", headers=(("x-team", "a"),))
    file.save(work)
    file.save(Connection(name="home", api="openai-chat", base_url=home.base_url, model="m"))
    assert [connection.name for connection in file.connections()] == ["home", "work"]
    assert file.connections()[1] == work
    text = path.read_text()
    assert "# the big machine" in text
    assert "# at home" in text
    assert load(path).problem is None
    assert load(path).settings.window.theme == "dark"
    file.remove("home")
    file.remove("nobody")
    assert file.connections() == (work,)
    file.remove("work")
    assert file.connections() == ()
    assert load(path).problem is None


def test_servers_and_models(path: Path) -> None:
    path.write_text('[models."gpt-4.1"]\nwindow = 1000\ninput = 2\n')
    file = ConnectionsFile(path)
    assert file.models() == {"gpt-4.1": Model("gpt-4.1", 1000, 2_000_000)}
    files = ToolServer(name="files", command="mcp-files", args=("--root", "/tmp"), env={"A": "$B"})
    headers = {"Authorization": "Bearer ${key}", "X-Team": "a"}
    far = ToolServer(name="far", url="https://far.example/mcp", headers=headers)
    file.save_server(files)
    file.save_server(far)
    assert file.servers() == (files, far)
    file.remove_server("files")
    assert file.servers() == (far,)
    assert load(path).problem is None


def test_models_are_said_and_unsaid_beside_what_stands_there(path: Path) -> None:
    path.write_text('# mine\n[models."GPT-4.1"]  # of work\nwindow = 1000  # small\n\n[window]\ntheme = "dark"\n')
    file = ConnectionsFile(path)
    file.save_model(Model("gpt-4.1", 2000, 1_500_000, most_output=50, aliases=("Big", "big-one")))
    file.save_model(Model("new/one", cache_read_price=100_000))
    assert file.models() == {
        "gpt-4.1": Model("gpt-4.1", 2000, 1_500_000, most_output=50, aliases=("big", "big-one")),
        "new/one": Model("new/one", cache_read_price=100_000),
    }
    text = path.read_text()
    assert "# of work" in text
    assert "input = 1.5" in text
    assert load(path).problem is None
    file.save_model(Model("gpt-4.1", 2000))
    assert file.models()["gpt-4.1"] == Model("gpt-4.1", 2000)
    file.remove_model("gpt-4.1")
    file.remove_model("new/one")
    file.remove_model("nobody")
    assert file.models() == {}
    assert "# mine" in path.read_text()
    assert load(path).settings.window.theme == "dark"
    path.write_text("models = 3\n")
    file.remove_model("m")
    with pytest.raises(SettingsError, match="not a section"):
        file.save_model(Model("m", 1))
    assert path.read_text() == "models = 3\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("connections = 3", "write [[connections]]"),
        ("connections = [3]", "not a table"),
        ("[[connections]]", "an item needs a name"),
        ('[[connections]]\nname = "a/b"', "an item needs a name"),
        ('[[connections]]\nname = "a"\napi = "x"', "api must be one of"),
        ('[[connections]]\nname = "a"\nbase_url = "ftp://x"', "must be an address"),
        ('[[connections]]\nname = "a"\nbase_url = "http://u:p@x"', "must not contain a password"),
        ('[[connections]]\nname = "a"\nproxy = "http://[x"', "must be an address"),
        ('[[connections]]\nname = "a"\nkey = "sk-1"', "unknown key “key”"),
        ('[[connections]]\nname = "a"\nvariable = "sk-1"', "never a key"),
        ('[[connections]]\nname = "a"\nheaders = {Authorization = "x"}', "must not contain a key"),
        ('[[connections]]\nname = "a"\nheaders = {"x y" = "x"}', "is not a valid header"),
        ('[[connections]]\nname = "a"\n[[connections]]\nname = "a"', "“a” is used more than once"),
        ('[[servers]]\nname = "a"', "either command or url"),
        ('[[servers]]\nname = "a b"\ncommand = "x"', "letters, digits"),
        ('[[servers]]\nname = "a"\ncommand = "x"\nargs = [1]', "args must be"),
        ('[[servers]]\nname = "a"\ncommand = "x"\nenv = {A = 1}', "env must be"),
        ('[[servers]]\nname = "a"\ncommand = "x"\nheaders = {A = "b"}', "headers require url"),
        ('[[servers]]\nname = "a"\nurl = "http://x"\nheaders = {A = 1}', "is not a valid header"),
        ('[[servers]]\nname = "a"\nurl = "http://x"\nheaders = {Cookie = "sk-1"}', "write ${key} or ${env:NAME}"),
        ("models = 3", "not a section"),
        ("[models.m]\nwindow = 0", "window must be"),
        ("[models.m]\ninput = true", "input must be"),
        ("[models.m]\nmost_output = 1.5", "most_output must be"),
        ("[models.m]\naliases = 3", "aliases must be"),
        ('[[servers]]\nname = "a"\nurl = "http://x"\nfolder = "/"', "folder requires command"),
    ],
)
def test_what_is_wrong_is_told_and_costs_itself_only(path: Path, text: str, told: str) -> None:
    path.write_text(text)
    loaded = load(path)
    assert told in str(loaded.problem)
    file = ConnectionsFile(path)
    assert len(file.connections()) <= 1
    assert file.servers() == ()
    assert not file.models()


def test_a_wrong_connection_is_not_written(path: Path) -> None:
    for wrong in (Connection(name="a/b"), Connection(name="a", base_url=""), Connection(name="a", api="")):
        with pytest.raises(SettingsError, match="Nothing was changed"):
            ConnectionsFile(path).save(wrong)
    assert not path.exists()
    path.write_text("connections = 3\n")
    with pytest.raises(SettingsError, match="not a list"):
        ConnectionsFile(path).save(Connection(name="a"))
    assert path.read_text() == "connections = 3\n"


def test_what_servers_offer_is_remembered_for_that_server(tmp_path: Path) -> None:
    cache, connection = ModelCache(tmp_path / "models"), Connection(name="a")
    offered = (OfferedModel(id="m", window=1000, levels=("low", "high")),)
    assert cache.read(connection) is None
    cache.write(connection, 7, offered)
    assert cache.read(connection) == (7, offered)
    assert cache.read(Connection(name="a", base_url="https://other.example")) is None
    [file] = (tmp_path / "models").iterdir()
    for broken in ("", "[]", '{"base_url": "https://api.anthropic.com", "time": 1, "models": [3]}'):
        file.write_text(broken)
        assert cache.read(connection) is None
    cache.forget(connection)
    cache.forget(connection)
    assert not list((tmp_path / "models").iterdir())
