"""Two processes go on in one session: nothing is lost, everybody stays on the own branch, and both are told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest

from stemmata.bootstrap.core import open_core
from stemmata.domain.chat.run import Phase
from stemmata.services.chat.run_states import branched_notice
from stemmata.system.paths import Profile
from stemmata.system.settings.settings import load
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_bench import ChatBench
from tests.fakes.script import flood
from tests.fakes.waiting import PATIENCE
from tests.journeys.chatting import Chat

ROOT = Path(__file__).parents[2]


@pytest.fixture
def chat(chat: Chat) -> Chat:
    """A session with messages."""
    chat.hands.send("Hello")
    chat.until_said("Hello", "You said: Hello")
    return chat


def test_what_another_process_said_meanwhile_is_told_when_sending(chat: Chat, tmp_path: Path) -> None:
    profile, gui = Profile.choose({}, folder=str(tmp_path / "profile")), chat.person.gui
    key = gui.opened.key
    assert key is not None
    other = open_core(profile.store, load(profile.settings))
    try:
        ChatBench(other.services, other.store).say(key, "From elsewhere")
    finally:
        other.close()
    chat.hands.send("Mine")
    toast = chat.person.window.toast
    chat.until(lambda: toast.text == branched_notice())  # it may have been hidden again meanwhile
    chat.until_said("Hello", "You said: Hello", "Mine", "You said: Mine")
    toast.click()
    chat.until(lambda: chat.said() == ["Hello", "You said: Hello", "From elsewhere", "You said: From elsewhere"])
    assert gui.opened.session is not None
    assert gui.opened.viewed_key is not None  # looking moves nothing


def test_a_command_that_goes_on_while_a_reply_comes(chat: Chat, chat_server: AnthropicServer, tmp_path: Path) -> None:
    person, gui = chat.person, chat.person.gui
    gui.watch()
    assert gui.opened.session is not None
    chat_server.streaming.clear()
    chat_server.script(flood(2 * PATIENCE))
    chat.hands.send("Tell me more")
    chat.until(lambda: chat.phase is Phase.STREAMING and "quick" in chat.streamed())
    environment = os.environ | {"STEMMATA_PROFILE": str(tmp_path / "profile"), "PYTHONPATH": str(ROOT / "app")}
    command = [sys.executable, "-m", "stemmata", "chat", gui.opened.session.id, "From the terminal"]
    with subprocess.Popen(command, env=environment, stdout=PIPE, stderr=PIPE, text=True) as ran:
        try:
            person.qtbot.waitUntil(lambda: ran.poll() is not None)
        finally:
            ran.kill()
        out, told = ran.communicate()
    assert (ran.returncode, out) == (0, "You said: From the terminal\n"), told
    assert told == f"{branched_notice()}\n"
    toast = person.window.toast
    chat.until(lambda: toast.text == branched_notice())  # it may have been hidden again meanwhile
    chat.hands.stop()
    chat.until(lambda: chat.phase is Phase.IDLE and len(chat.said()) == 4)
    assert chat.said()[2] == "Tell me more"  # the own branch is what is seen
    assert chat.said()[3].startswith("The quick")
    toast.click()
    chat.until(lambda: chat.said()[2:] == ["From the terminal", "You said: From the terminal"])
