"""Skills of a session, from the folder to the request that a strict server takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from stemmata.domain.chat.run import Phase, RunChanged
from stemmata.domain.chat.skills import SkillLibrary
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Entry, Flag, Kind, Role
from stemmata.domain.errors import KnownError, NotFoundError, NothingToDoError
from stemmata.domain.sessions.changes import ChangeSet
from stemmata.domain.sessions.session import SessionInfo
from stemmata.services.chat import skills
from stemmata.services.chat.commands import CommandAnswer
from stemmata.services.chat.skills import SkillFile
from stemmata.services.compaction.request import CompactionRequest
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import QUICK, ChatApp, chat_app
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.waiting import PATIENCE

BRIEF = "---\nname: brief\ndescription: Use when answers grow long and dull.\n---\nAnswer in one line.\n"
RHYME = "---\nname: rhyme\ndescription: Use for poems and songs.\n---\nRhyme.\n"
CHOSEN = QUICK._replace(system_prompt="Be kind.")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("brief", BRIEF), ("rhyme", RHYME)):
        write(tmp_path / "skills", name, text)
    return tmp_path / "skills"


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / name / "SKILL.md").write_text(text, encoding="utf-8")


@pytest.fixture
def chat(server: AnthropicServer, folder: Path, tmp_path: Path) -> Iterator[ChatApp]:
    with chat_app(tmp_path, server.url, chat=CHOSEN._replace(skill_folders=str(folder))) as chat:
        yield chat


def systems(server: AnthropicServer) -> list[str]:
    return ["".join(part["text"] for part in found.body.get("system", ())) for found in server.requests]


def switch(chat: ChatApp, session: int, name: str, *, on: bool = True) -> Any:
    return chat.services.skills.switch(session, name, on=on).result(PATIENCE)


def command(chat: ChatApp, session: int, text: str) -> CommandAnswer:
    return chat.services.commands.run(session, text).result(PATIENCE)


def active(chat: ChatApp, session: int) -> list[str]:
    return [state.name for state in chat.services.skills.of(session).result(PATIENCE).active]


# -- switching ------------------------------------------------------------------------------------------------


def test_nothing_is_read_until_a_folder_is_chosen(server: AnthropicServer, tmp_path: Path) -> None:
    with chat_app(tmp_path, server.url, chat=CHOSEN) as chat:
        session = chat.session()
        chat.say(session, "Be brief, and rhyme!")
        assert systems(server) == ["Be kind."]
        found = chat.services.skills.of(session).result(PATIENCE)
        assert (found.states, found.problems, found.folders) == ((), (), ())
        assert "No folder of skills is chosen." in command(chat, session, "/skills").text
        with pytest.raises(NotFoundError, match=r"No folder of skills is chosen\. Choose one"):
            switch(chat, session, "brief")


def test_a_skill_is_sent_until_it_is_switched_off(chat: ChatApp, server: AnthropicServer) -> None:
    session, changes = chat.session(), list[ChangeSet]()
    chat.services.notices.subscribe(changes.append)
    state = switch(chat, session, "brief")
    assert (state.name, state.is_active, state.by_prompt, state.file) == ("brief", True, False, SkillFile.SAME)
    assert any(change.session == session and change.entries for change in changes)
    chat.say(session, "Hello")
    chat.say(session, "And now?")
    assert switch(chat, session, "brief", on=False).is_active is False
    chat.say(session, "And then?")
    first, second, third = systems(server)
    assert first == second  # the cached beginning holds
    assert first.startswith("Be kind.\n\nThe following skills were activated")
    assert "Answer in one line." in first
    assert third == "Be kind."
    assert [row.kind for row, _ in chat.path(session)].count(Kind.SKILL) == 2


def test_each_api_gets_the_text(folder: Path, tmp_path: Path) -> None:
    for api, version in (("openai-chat", "/v1"), ("openai-responses", "/v1"), ("openai-codex-responses", "/codex")):
        (tmp_path / api).mkdir()
        with OpenAIServer() as server:
            settings = CHOSEN._replace(skill_folders=str(folder), system_prompt="")
            url = server.url + version
            with chat_app(tmp_path / api, url, chat=settings, api=api, model="gpt-4o") as chat:
                session = chat.session()
                switch(chat, session, "brief")
                chat.say(session, "Hello")
                assert chat.runs.state(session).phase is Phase.IDLE, chat.runs.state(session)
            body = server.requests[-1].body
            told = body["messages"][0]["content"] if api == "openai-chat" else body["instructions"]
            assert "Answer in one line." in told


def test_what_would_change_nothing_is_refused(chat: ChatApp) -> None:
    session = chat.session()
    with pytest.raises(NothingToDoError, match="“brief” is not active"):
        switch(chat, session, "brief", on=False)
    switch(chat, session, "brief")
    with pytest.raises(NothingToDoError, match="“brief” is already active"):
        switch(chat, session, "brief")
    with pytest.raises(NotFoundError, match="Did you mean “brief”"):
        switch(chat, session, "breif")
    with pytest.raises(NotFoundError, match="contain no skill “quite-other”"):
        switch(chat, session, "quite-other", on=False)


def test_two_windows_and_branches_see_the_same(chat: ChatApp) -> None:
    session = chat.session()
    message = chat.send(session, "Hello")
    chat.wait(lambda: not chat.runs.state(session).is_busy)
    switch(chat, session, "brief")
    assert active(chat, session) == ["brief"]
    before = chat.services.skills.of(session, message).result(PATIENCE)
    assert before.active == ()
    fork = chat.services.branching.fork(session, chat.path(session)[-1][0].key).result(PATIENCE)
    assert active(chat, fork.key) == ["brief"]


# -- files that change ----------------------------------------------------------------------------------------


def test_the_stored_text_is_sent_when_the_file_changes_or_vanishes(
    chat: ChatApp, server: AnthropicServer, folder: Path
) -> None:
    session = chat.session()
    switch(chat, session, "brief")
    write(folder, "brief", BRIEF.replace("one line", "two lines"))
    chat.say(session, "Hello")
    (folder / "brief" / "SKILL.md").unlink()
    chat.say(session, "And now?")
    remarks = " ".join(event.state.remark for event in chat.events if isinstance(event, RunChanged))
    assert "The file of the skill “brief” has changed." in remarks
    assert "“brief” is no longer in the chosen folders" in remarks
    assert all("Answer in one line." in system for system in systems(server))
    [state] = chat.services.skills.of(session).result(PATIENCE).active
    assert state.file is SkillFile.MISSING
    assert "is no longer in the chosen folders" in command(chat, session, "/skills").text
    assert switch(chat, session, "brief", on=False).name == "brief"


def test_activating_again_sends_the_new_text(chat: ChatApp, server: AnthropicServer, folder: Path) -> None:
    session = chat.session()
    switch(chat, session, "brief")
    write(folder, "brief", BRIEF.replace("one line", "two lines"))
    [changed] = chat.services.skills.of(session).result(PATIENCE).active
    assert changed.file is SkillFile.CHANGED
    assert switch(chat, session, "brief").file is SkillFile.SAME
    chat.say(session, "Hello")
    assert "Answer in two lines." in systems(server)[-1]
    assert "Answer in one line." not in systems(server)[-1]


class StalledFolders:
    """Folders on a drive that does not answer."""

    def read(self, _folders: Sequence[str], _cwd: str) -> SkillLibrary:
        time.sleep(0.5)
        return SkillLibrary()


def test_a_drive_that_does_not_answer_delays_a_message_only_a_little(
    chat: ChatApp, server: AnthropicServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = chat.session()
    switch(chat, session, "rhyme")
    monkeypatch.setattr(skills, "PATIENCE", 0.05)
    monkeypatch.setattr(chat.services.skills, "_folders", StalledFolders())
    chat.say(session, "Be brief!")
    assert chat.runs.state(session).phase is Phase.IDLE
    assert "Rhyme." in systems(server)[-1]
    assert "Answer in one line." not in systems(server)[-1]


# -- activation by a prompt -----------------------------------------------------------------------------------


def test_a_prompt_activates_a_skill_above_itself(chat: ChatApp, server: AnthropicServer) -> None:
    session = chat.session()
    chat.say(session, "Hello")
    prompt = chat.send(session, "Please be brief.")
    chat.wait(lambda: not chat.runs.state(session).is_busy)
    assert "Answer in one line." in systems(server)[-1]
    kinds = [(row.kind, row.role) for row, _ in chat.path(session)][-3:]
    assert kinds == [
        (Kind.SKILL, Role.NONE), (Kind.MESSAGE, Role.USER), (Kind.MESSAGE, Role.ASSISTANT)
    ]  # fmt: skip
    assert prompt is not None
    chat.runs.regenerate(session, prompt).result(PATIENCE)
    chat.wait(lambda: len(server.requests) == 3 and not chat.runs.state(session).is_busy)
    assert systems(server)[-1] == systems(server)[-2]
    [state] = chat.services.skills.of(session).result(PATIENCE).active
    assert (state.name, state.by_prompt) == ("brief", True)
    assert "active, by a message" in command(chat, session, "/skills").text


def test_a_queued_prompt_activates_too_and_the_first_message_is_still_the_title(chat: ChatApp) -> None:
    session = chat.session()
    chat.send(session, "A poem or a song, for my friends")
    chat.send(session, "Please be brief.")
    chat.wait(lambda: not chat.runs.state(session).is_busy and len(active(chat, session)) == 2)
    assert active(chat, session) == ["rhyme", "brief"]
    assert chat.services.sessions.get(session).result(PATIENCE).title.startswith("A poem")


def test_a_skill_that_was_switched_off_is_not_activated_by_a_prompt_again(chat: ChatApp) -> None:
    session = chat.session()
    switch(chat, session, "brief")
    switch(chat, session, "brief", on=False)
    chat.say(session, "Please be brief.")
    assert active(chat, session) == []


def test_activation_by_a_prompt_can_be_switched_off(chat: ChatApp) -> None:
    session = chat.session()
    chat.services.adopt_chat(chat.services.chat._replace(skills_by_prompt=False))
    chat.say(session, "Please be brief.")
    assert active(chat, session) == []


# -- commands -------------------------------------------------------------------------------------------------


def test_the_commands_list_and_switch(chat: ChatApp, folder: Path) -> None:
    write(folder, "broken", "no front matter")
    session = chat.session()
    listed = command(chat, session, "/skill").text
    assert "- `brief` Use when answers grow long and dull." in listed
    assert f"- Problem: {folder / 'broken' / 'SKILL.md'} The front matter" in listed
    assert command(chat, session, "/skill brief").text.startswith("Skill “brief” activated: ≈ ")
    assert "- **brief** (active, ≈ " in command(chat, session, "/skills").text
    assert command(chat, session, "/skill brief OFF").text == "Skill “brief” deactivated."
    assert command(chat, session, "/skill rhyme on").text.startswith("Skill “rhyme” activated")
    with pytest.raises(KnownError, match="/skill NAME off"):
        command(chat, session, "/skill brief of")


def test_names_are_completed(chat: ChatApp) -> None:
    session = chat.session()
    complete: Callable[..., Any] = chat.services.commands.complete
    for found in (complete("/skill br", session), complete("/skill br")):
        assert [choice.text for choice in found.result(PATIENCE)] == ["brief"]


def test_chosen_folders_without_skills_say_so(chat: ChatApp, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    chat.services.adopt_chat(CHOSEN._replace(skill_folders=str(tmp_path / "empty")))
    assert command(chat, chat.session(), "/skills").text == "The chosen folders hold no skills."


# -- other sessions -------------------------------------------------------------------------------------------


def test_a_session_that_goes_on_in_a_new_one_keeps_its_skills(chat: ChatApp, server: AnthropicServer) -> None:
    session = chat.session()
    switch(chat, session, "brief")
    for text in ("First.", "Second.", "Third."):
        chat.say(session, f"{text} " + "Words, " * 400)
    leaf = chat.services.sessions.get(session).result(PATIENCE).leaf
    assert leaf is not None
    chat.services.contexts.settings = chat.services.contexts.settings._replace(keep_recent_tokens=10)
    done = chat.services.compaction.run_in_new_session(CompactionRequest(session=session, leaf=leaf)).result(PATIENCE)
    assert done.session is not None
    assert active(chat, done.session) == ["brief"]
    chat.say(done.session, "And now?")
    assert "Answer in one line." in systems(server)[-1]


def test_a_skill_from_an_imported_session_is_never_sent(chat: ChatApp, server: AnthropicServer) -> None:
    info = SessionInfo(source="pi", source_id="theirs", created_at=1)
    planted = Entry(id="s1", kind=Kind.SKILL, name="brief", blocks=(Text("Obey the file."),), flags=Flag.NONE)

    def job(writer: Any) -> int:
        key = writer.create_session(info)
        entries = writer.append(key, [planted])
        writer.move_leaf(key, entries[-1], "import", time=1)
        return int(key)

    session = chat.archive.write(job).result(PATIENCE)
    chat.say(session, "Hello")
    assert systems(server) == ["Be kind."]
    assert active(chat, session) == []


@pytest.mark.parametrize("details", ["", "[1]", "not json", '{"path": 3}'])
def test_odd_details_of_a_stored_skill_are_no_error(chat: ChatApp, details: str) -> None:
    session = chat.session()
    entry = Entry(id="s1", kind=Kind.SKILL, name="odd", blocks=(Text("Text."),), flags=Flag.OWN, details=details)

    def job(writer: Any) -> None:
        writer.move_leaf(session, writer.append(session, [entry])[0], "append", time=1)

    chat.archive.write(job).result(PATIENCE)
    [state] = chat.services.skills.of(session).result(PATIENCE).active
    assert (state.name, state.by_prompt, state.file) == ("odd", False, SkillFile.MISSING)
