"""Every command that the README and the guide show is run here, or is listed with the reason why not.

Commands run in this process, in a home folder with one session of pi. Those that open the window are taken by a
running one; a fake server on loopback answers messages.
"""

from __future__ import annotations

import io
import re
import shlex
import shutil
import subprocess
import threading
from pathlib import Path

import click
import pytest

from stemmata.__main__ import main
from stemmata.arguments import wants_window
from stemmata.bootstrap.commands import command_line
from stemmata.cli.program import program
from stemmata.system.guide import PAGES
from stemmata.system.paths import Profile
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import connect
from tests.fakes.script import Reply, Say
from tests.journeys.person import Person

ROOT = Path(__file__).parents[2]
FILES = [ROOT / "README.md", *(ROOT / "docs" / f"{name}.md" for name in PAGES if name != "changelog")]
PROGRAMS = (
    "stemmata ./packaging/dev sudo apt pip pipx uv sh tar systemctl sqlite3 git cat cd ssh xvfb-run claude codex"
).split()
BARE = "needs root or a network: builds.bare_system runs it in a bare system, see docs/packaging.md"
OTHERS = "a program of others, named as an example"
NOT_RUN = {
    "./packaging/dev run": BARE,
    "./packaging/dev test": "runs this test",
    "./packaging/dev run --help": BARE,
    "./packaging/dev run …": "stands for all commands",
    "stemmata …": "stands for all commands",
    "sudo apt install ./stemmata-desktop_0.1.0_amd64.deb": BARE,
    "sudo apt remove stemmata-desktop": BARE,
    "sh stemmata-0.1.0-linux-x86_64.run": BARE,
    "tar -xf stemmata-0.1.0-linux-x86_64.tar.zst": BARE,
    "stemmata/stemmata": BARE,
    "pipx install ./stemmata_desktop-0.1.0-py3-none-any.whl": BARE,
    "pipx install './stemmata_desktop-0.1.0-py3-none-any.whl[mcp,meaning]'": BARE,
    "pipx install 'stemmata-desktop[meaning]'": "the distribution is not published yet",
    "pipx upgrade": BARE,
    "pipx uninstall stemmata-desktop": BARE,
    "uv tool install": BARE,
    "pip install 'mcp>=2.3,<3'": "changes the environment of the tests",
    "git pull": OTHERS,
    "systemctl --user enable --now stemmata-follow.service": "needs systemd; test_desktop_files.py checks the unit",
    "ssh -X": OTHERS,
    "claude -p": OTHERS,
    "codex exec": OTHERS,
    "cd /work && claude --resume ID": OTHERS,
}  # fmt: skip
ID = "1a2b3c4d"


def shown(path: Path) -> list[str]:
    """Return the commands in a page: lines of shell blocks, and code within sentences that begins with a program."""
    text = path.read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [re.sub(r"\s+# .*", "", line) for block in blocks for line in block.splitlines()]
    comments = "\n".join(part for block in blocks for part in re.findall(r"# .*", block))
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    inline = re.findall(r"`([^`\n]+)`", f"{prose}\n{comments}")
    return [*lines, *(code for code in inline if code.partition(" ")[0] in PROGRAMS and " " in code)]


SHOWN = sorted({command for path in FILES for command in shown(path)})
RUN = [command for command in SHOWN if command not in NOT_RUN]
WINDOW = [command for command in RUN if command.startswith("stemmata") and wants_window(shlex.split(command)[1:])]
WINDOW += [
    command for command in RUN if command.endswith((" session.jsonl", "| stemmata -")) and command not in WINDOW
]
COMMANDS = [command for command in RUN if command not in WINDOW and not command.startswith("sqlite3")]


def test_commands_are_found() -> None:
    assert len(COMMANDS) > 15
    assert len(WINDOW) > 4
    assert all(command.partition(" ")[0] in ("stemmata", "sqlite3", "cat") for command in RUN)


def test_no_reason_is_given_for_a_command_that_is_not_shown() -> None:
    assert not NOT_RUN.keys() - {*SHOWN}


@pytest.fixture
def session(session_file: Path, profile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The session in the working folder, and in the folder of pi."""
    text = session_file.read_text(encoding="utf-8").replace("journey-1", ID)
    folder = profile / ".pi" / "agent" / "sessions" / "--home--"
    folder.mkdir(parents=True)
    (folder / "s.jsonl").write_text(text, encoding="utf-8")
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    (place / "session.jsonl").write_text(text, encoding="utf-8")
    return place / "session.jsonl"


@pytest.fixture
def archive(session: Path, anthropic_server: AnthropicServer) -> Path:
    """An archive with that session, and a connection to the fake server."""
    profile = Profile.standard()
    profile.create()
    connect(profile.config, anthropic_server.url)
    anthropic_server.script(Reply(blocks=(Say("It is done."),)))
    assert main(["--quiet", "import", str(session)]) == 0
    return profile.store


def words_of(command: str, folder: Path = Path()) -> list[str]:
    """Return the arguments of a shown command.

    Its placeholders get values. The name of a command without the arguments that it requires asks for help.
    """
    values = {"SESSION": "latest", "OLD": "latest", "DIR": str(folder)}
    line = re.sub(r".*\| | [<>] .*", "", command).replace("~", str(Path.home()))
    words = [values.get(word, word) for word in shlex.split(line)[1:]]
    known = program.commands.get(next(iter(words), ""))
    required = [one for one in known.params if isinstance(one, click.Argument) and one.required] if known else []
    is_name = required and all(word.startswith("--") for word in words[1:])
    return [*words, "--help"] if is_name else words


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_runs(
    command: str, archive: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Go on, please."))
    capfd.readouterr()
    code = main(words_of(command))
    told = capfd.readouterr()
    assert code == 0, told.err
    assert "Traceback" not in told.err
    assert told.out.strip()


def test_the_running_window_opens_them(
    session: Path, person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "profile"
    assert command_line(["--profile", str(folder), "--quiet", "import", str(session)]) == 0
    monkeypatch.setenv("STEMMATA_PROFILE", str(folder))
    person.gui.listen(Profile.under(folder).socket)
    for command in WINDOW:
        piped = io.TextIOWrapper(io.BytesIO(session.read_bytes()), encoding="utf-8")
        monkeypatch.setattr("sys.stdin", piped)
        words = words_of(command, folder)
        assert taken(words, person) == 0, command
        if not {*words} <= {"open", "--profile", str(folder)}:
            person.until(lambda: person.gui.opened.session_tree is not None)
            person.gui.opened.close()


def taken(words: list[str], person: Person) -> int:
    """Return the exit code of a second start beside the person's window."""
    codes: list[int] = []
    second = threading.Thread(target=lambda: codes.append(main(words)))
    second.start()
    person.until(lambda: not second.is_alive())
    second.join()
    return codes[0]


@pytest.mark.parametrize("command", [command for command in RUN if command.startswith("sqlite3")])
def test_the_backup_is_an_archive(command: str, archive: Path, capfd: pytest.CaptureFixture[str]) -> None:
    if shutil.which("sqlite3") is None:
        pytest.skip("the program sqlite3 is not installed")
    subprocess.run(command, shell=True, check=True)
    capfd.readouterr()
    assert main(["--store", "copy.db", "check"]) == 0
    assert main(["--store", "copy.db", "sessions"]) == 0
    assert "Prompt number 0" in capfd.readouterr().out
