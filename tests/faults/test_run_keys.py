"""After a full run with a key that can be recognised, no file of the profile holds it."""

from __future__ import annotations

import faulthandler
import logging
import os
from pathlib import Path

import pytest

from stemmata.domain.chat.run import Phase
from stemmata.system.logs import CrashGuard, Logs
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import ChatApp, chat_app
from tests.fakes.script import Break, Call, Refuse, Reply, Say
from tests.fakes.waiting import PATIENCE
from tests.faults.chatting_child import tools

VARIABLE = "FAKE_PROVIDER_KEY"
KEY = "unmistakable-7f3a9c1e5b"  # looks like no key that a pattern knows


def test_no_file_holds_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    was_enabled = faulthandler.is_enabled()
    logs, guard = Logs(tmp_path / "stemmata.log", verbose=2), CrashGuard(tmp_path / "crash.txt")
    try:
        with (
            caplog.at_level(logging.DEBUG),
            AnthropicServer(key=KEY) as server,
            chat_app(tmp_path, server.url, tools=tools(), variable=VARIABLE) as chat,
        ):
            use_everything(chat, server, tmp_path)
            faulthandler.dump_traceback(guard._file or 2)
            assert found(tmp_path) == []
    finally:
        guard.close()
        logs.close()
        if was_enabled:
            faulthandler.enable()
    assert found(tmp_path) == []
    assert KEY not in caplog.text
    assert any(KEY in request.headers.get("authorization", "") for request in server.requests)


def use_everything(chat: ChatApp, server: AnthropicServer, folder: Path) -> None:
    session = chat.session()
    server.script(
        Reply(blocks=(Say("I look."), Call("look"))),
        Reply(),
        Refuse(401, f"invalid x-api-key {KEY}"),
        Refuse(400, f"header authorization: Bearer {KEY} is odd"),
        Refuse(500, body=f"<html>{KEY}</html>".encode()),
        Reply(breaks=Break("garbage")),
        Reply(breaks=Break("rst")),
    )
    problems = []
    for at in range(5):
        chat.say(session, f"Message {at}")
        problems.append(chat.runs.state(session).problem)
    assert chat.runs.state(session).phase is Phase.INTERRUPTED
    assert KEY not in "".join(problems)
    assert KEY not in repr(chat.services.chat_ports)
    for name in chat.services.exporting.names:
        exported = chat.services.exporting.to_bytes(session, name).result()
        (folder / f"export.{name}").write_bytes(exported)
    chat.core.store.backup(folder / "backup.db").result()
    chat.services.connecting.models("fake").result(PATIENCE)


def found(folder: Path) -> list[str]:
    """Return the files that contain the key, also in simple encodings."""
    forms = [KEY.encode(), KEY.encode("utf-16-le"), KEY[::-1].encode(), KEY.encode().hex().encode()]
    files = [Path(top) / name for top, _, names in os.walk(folder) for name in names]
    assert len(files) > 5
    return [str(path) for path in files if any(form in path.read_bytes() for form in forms)]
