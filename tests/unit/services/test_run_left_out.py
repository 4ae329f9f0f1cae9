"""What of a session another model does not take is not left out unsaid."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from stemmata.domain.chat.run import OutgoingMessage, Phase, RunChanged
from stemmata.domain.entries.blocks import Image, Text
from stemmata.domain.text.phrases import Phrase
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.chat_app import ChatApp, chat_app
from tests.fakes.pictures import png
from tests.fakes.waiting import PATIENCE

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def remarks(chat: ChatApp) -> set[str]:
    return {event.state.remark for event in chat.events if isinstance(event, RunChanged)}


def test_pictures_that_a_model_does_not_take_are_told(tmp_path: Path) -> None:
    with AnthropicServer() as server, chat_app(tmp_path, server.url) as chat:
        chat.services.connecting.models("fake").result(PATIENCE)
        session, name = chat.session(), hashlib.sha256(PNG).hexdigest()
        picture = Image("image/png", name, len(PNG), "dot.png")
        chat.runs.send(session, OutgoingMessage(blocks=(picture, Text("Look")), files={name: PNG})).result(PATIENCE)
        chat.wait_phase(session, Phase.IDLE)
        assert remarks(chat) == {""}
        chat.runs.pick_model(session, "fake", "qwen3:8b").result()
        chat.say(session, "And now?")
        told = "qwen3:8b does not accept images and PDFs of this session (1); they were not sent"
        assert remarks(chat) == {"", told}
        assert all(isinstance(remark, Phrase) for remark in remarks(chat) if remark)
        assert chat.runs.state(session).remark == ""
        assert "the model takes none" in str(server.requests[-1].body["messages"])


def test_one_large_picture_leaves_the_others_in_the_request(tmp_path: Path) -> None:
    """The server refuses a request with more than 20 pictures if one has a side of more than 2,000 pixels."""
    datas = [png(2_001, 5), *(png(side, 5) for side in range(1, 22))]
    files = {hashlib.sha256(data).hexdigest(): data for data in datas}
    pictures = [Image("image/png", name, len(data)) for name, data in files.items()]
    with AnthropicServer() as server, chat_app(tmp_path, server.url, model="claude-opus-4-5") as chat:
        session = chat.session()
        chat.runs.send(session, OutgoingMessage(blocks=(*pictures, Text("Look")), files=files)).result(PATIENCE)
        chat.wait_phase(session, Phase.IDLE)
        [request] = server.requests
        kinds = [part["type"] for part in request.body["messages"][0]["content"]]
        assert kinds == ["text", *["image"] * 21, "text"]
