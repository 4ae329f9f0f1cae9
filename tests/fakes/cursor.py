"""A database of keys and values as Cursor writes it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

Record = dict[str, Any]
START = 1_784_000_000_000  # ms


class Store:
    """An open database."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA synchronous = OFF")
        self.connection.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")

    def close(self) -> None:
        self.connection.close()

    def put(self, key: str, value: Any) -> None:
        """A value: an object as JSON, anything else as it is."""
        said = json.dumps(value) if isinstance(value, dict) else value
        self.connection.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (key, said))

    def composer(self, id: str, *listed: str, at: int = 1, **more: Any) -> None:
        """A session that lists messages."""
        self.put(
            f"composerData:{id}",
            {
                "composerId": id, "name": "Tea", "createdAt": START, "lastUpdatedAt": START + at * 1000,
                "status": "completed", "modelConfig": {"modelName": "m"},
                "fullConversationHeadersOnly": [{"bubbleId": one} for one in listed], **more,
            },
        )  # fmt: skip

    def bubble(self, composer: str, id: str, **fields: Any) -> None:
        self.put(f"bubbleId:{composer}:{id}", {"bubbleId": id, **fields})

    def user(self, composer: str, id: str, said: str, at: int = 1, **more: Any) -> None:
        self.bubble(composer, id, type=1, text=said, createdAt=START + at * 1000, **more)

    def reply(self, composer: str, id: str, said: str, at: int = 1, **more: Any) -> None:
        self.bubble(composer, id, type=2, text=said, createdAt=START + at * 1000, **more)


def tool(name: str = "read_file", result: Any = "tea", status: str = "completed", **more: Any) -> Record:
    return {"toolCallId": "c", "name": name, "rawArgs": '{"path":"a.py"}', "result": result, "status": status, **more}


def packed() -> bytes:
    """The bytes of a database with tools, messages that are no longer listed, and a subagent."""
    with TemporaryDirectory() as folder:
        store = Store(Path(folder, "state.vscdb"))
        store.composer("s", "a", "b", "e", "f")
        store.user("s", "a", "Which?", 1, context={"fileSelections": [{"uri": "a.py"}]})
        store.reply(
            "s", "b", "I look.", 2, thinking={"text": "Hm."}, toolFormerData=tool(), tokenCount={"inputTokens": 9}
        )
        store.user("s", "c", "Why?", 3)
        store.reply("s", "d", "So.", 4)
        store.user("s", "e", "Why not?", 5)
        store.reply("s", "f", "Sencha.", 6, modelInfo={"modelName": "n"})
        store.composer("t", "g", subagentInfo={"parentComposerId": "s"})
        store.user("t", "g", "Look.", 7)
        store.put("composerData:old", {"conversation": [{"type": 1, "bubbleId": "h", "text": "Hi"}]})
        store.put("checkpointId:s:x", {"files": []})
        store.close()
        return store.path.read_bytes()
