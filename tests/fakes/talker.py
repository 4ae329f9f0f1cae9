"""What a fake model says when nothing is scripted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.fakes.script import Call, Reply, Said, Say, Think

_PROSE = """You asked: *{words}*

Here is what I would do:

1. **Look first.** Read the code that is called and the test that fails.
2. **Change one thing.** A small change is easy to take back.
3. **Run the tests again**, and write down what you learned.

```python
def greet(name: str) -> str:
    return f"Hello, {{name}}!"
```

| step | effort | risk |
|---|---|---|
| look | small | none |
| change | small | some |
| test | none | none |

Say “use *tool*” and I call that tool. Say “long” and I go on for a while.
"""
_LONG = "The quick brown fox jumps over the lazy dog by the river, and then some.\n\n"


def answer_to(payload: Mapping[str, Any]) -> Reply:
    """Return an answer that quotes the last words of the user."""
    return Reply(blocks=(Say(f"You said: {last_words(payload)[:400] or '(nothing)'}"),))


def talk(payload: Mapping[str, Any]) -> Reply:
    """Answer as a model: think on request, call a tool when told to, write Markdown."""
    words = last_words(payload)
    thinks = _thinks(payload)
    thought: tuple[Said, ...] = (
        (Think("The question is clear. A short plan, an example and a table will do."),) if thinks else ()
    )
    tool = next((name for name in _tools(payload) if f"use {name}" in words), "")
    if tool and not _answers_a_call(payload):
        return Reply(
            blocks=(*thought, Say("I look that up."), Call(tool, {"query": words.replace("use", "").strip()}))
        )
    text = _PROSE.format(words=words[:200] or "nothing")
    return Reply(blocks=(*thought, Say(text + (_LONG * 100 if "long" in words else ""))))


def last_words(payload: Mapping[str, Any]) -> str:
    """The last text of the user, in any of the three forms."""
    for message in reversed(payload.get("messages") or payload.get("input") or ()):
        if message.get("role") != "user":
            continue
        content = message["content"]
        parts = [{"text": content}] if isinstance(content, str) else content
        texts = [part["text"] for part in parts if "text" in part]
        if texts:
            return str(texts[-1])
    return ""


def _thinks(payload: Mapping[str, Any]) -> bool:
    asked = payload.get("thinking") or payload.get("reasoning") or {}
    effort = payload.get("reasoning_effort") or asked.get("effort") or asked.get("type")
    return effort not in (None, "disabled", "none")


def _tools(payload: Mapping[str, Any]) -> list[str]:
    return [str((tool.get("function") or tool)["name"]) for tool in payload.get("tools", ())]


def _answers_a_call(payload: Mapping[str, Any]) -> bool:
    last = (payload.get("messages") or payload["input"])[-1]
    if last.get("role") == "tool" or last.get("type") == "function_call_output":
        return True
    content = last.get("content")
    return isinstance(content, list) and any(part.get("type") == "tool_result" for part in content)
