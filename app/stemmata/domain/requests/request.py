"""The exact request that a provider receives, made from the projection's entries: one builder for each API."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

from stemmata.domain.chat.connections import OfferedModel
from stemmata.domain.chat.skills import ActiveSkill, with_skills
from stemmata.domain.entries.blocks import Image, Text, ToolCall, arguments_of
from stemmata.domain.requests.message_normalizer import Reply, UserMessage
from stemmata.domain.requests.model_abilities import ModelTraits
from stemmata.domain.requests.pictures import is_damaged
from stemmata.domain.text.json_text import MAX_NESTING, compact_json, nests_deeper_than


class IdRule(Enum):
    """The rules for tool call ids. STRICT and NINE are OpenClaw's rules for Gemini and for Mistral."""

    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    STRICT = "strict"
    NINE = "nine"


_UNWANTED = {
    IdRule.ANTHROPIC: re.compile(r"[^A-Za-z0-9_-]"),
    IdRule.OPENAI: re.compile(r"[^A-Za-z0-9_-]"),
    IdRule.STRICT: re.compile(r"[^A-Za-z0-9]"),
    IdRule.NINE: re.compile(r"[^A-Za-z0-9]"),
}
_LONGEST = {IdRule.ANTHROPIC: 64, IdRule.OPENAI: 40, IdRule.STRICT: 40, IdRule.NINE: 9}
_MISTRAL = re.compile(r"mistral|mixtral|codestral|pixtral|devstral|ministral", re.IGNORECASE)


def rule_for(rule: IdRule, model: str) -> IdRule:
    """Return the rule for a model, given that of its API; some models behind OpenAI's API have stricter rules."""
    if rule is not IdRule.OPENAI:
        return rule
    if _MISTRAL.search(model):
        return IdRule.NINE
    return IdRule.STRICT if "gemini" in model.lower() else IdRule.OPENAI


class ToolIds:
    """Maps call ids to permitted ids for one request. Equal ids give equal results, different ids different ones."""

    def __init__(self, rule: IdRule) -> None:
        self._rule = rule
        self._ids: dict[str, str] = {}
        self._used: set[str] = set()

    def of(self, id: str) -> str:
        """Return the permitted id for a call id."""
        if id not in self._ids:
            found = self._nine_characters(id) if self._rule is IdRule.NINE else self._plain(id)
            self._ids[id] = found
            self._used.add(found)
        return self._ids[id]

    def _plain(self, id: str) -> str:
        longest = _LONGEST[self._rule]
        base = self._bare(id)[:longest] or ("sanitizedtoolid" if id else "defaulttoolid")
        if base not in self._used:
            return base
        base = base[: longest - 8] + _sha1(id)[:8]
        found, number = base, 2
        while found in self._used:
            found = f"{base[: longest - 4]}x{number}"
            number += 1
        return found

    def _nine_characters(self, id: str) -> str:
        bare = self._bare(id)
        found = bare[:9] if len(bare) >= 9 else _sha1(bare or "sanitized")[:9]
        found = found if id else "defaultid"
        number = 0
        while found in self._used:
            found = _sha1(f"{id}:{number}")[:9]
            number += 1
        return found

    def _bare(self, id: str) -> str:
        return _UNWANTED[self._rule].sub("", id)


def _sha1(text: str) -> str:
    """Return a digest that distinguishes ids; it serves no security purpose."""
    return hashlib.sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


Payload: TypeAlias = dict[str, Any]
BlobReader: TypeAlias = Callable[[str], bytes | None]

PDF = "application/pdf"
LARGEST_IMAGE = 5 * 1024 * 1024  # bytes; Anthropic's limit, the smallest of the three
LARGEST_PDF = 20 * 1024 * 1024  # bytes; a request may have 32 MB, and base64 adds a third
_LONGEST_NAME = 64  # characters of a tool's name
_HEADS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", PDF),
)
_ESCAPE = re.compile(r"\\(?:u(d[89a-f][0-9a-f]{2})|.)")


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool the model may call. `schema` is the JSON schema of its arguments."""

    name: str
    description: str = ""
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "object"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOptions:
    """All of a request except its messages. `provider` and `model` have the names that entries use.

    `thinking` is one of `THINKING_LEVELS`; "" lets the model decide. `cache` is how long the provider keeps marked
    prefixes, "5m" or "1h"; "" sets no marks. `facts` is the model's entry in the server's list, None when unknown.
    `prefill` is the text of an interrupted reply that the model is to continue. `previous` is the message id of the
    reply before, for servers that report why their cache was missed. `signed` permits sending signed summaries.
    `skills` are the active skills, whose texts follow `system` in the system prompt.
    `summarise` requests a signed summary by these instructions, "" for the provider's own; None for a usual request.
    """

    model: str
    provider: str = ""
    system: str = ""
    tools: tuple[ToolDefinition, ...] = ()
    max_tokens: int = 8192
    thinking: str = ""
    cache: str = ""
    facts: OfferedModel | None = None
    prefill: str = ""
    previous: str = ""
    signed: bool = True
    skills: tuple[ActiveSkill, ...] = ()
    summarise: str | None = None

    @property
    def whole_system(self) -> str:
        """The system prompt with the texts of the active skills; "" for none."""
        return clean_text(with_skills(self.system, self.skills)) if self.skills or self.system.strip() else ""

    @property
    def traits(self) -> ModelTraits:
        """The features of the requested model."""
        return ModelTraits(self.model, self.facts)


@dataclass(frozen=True)
class Encoding:
    """The parts that all request builders share: call ids, tool names, images, valid text."""

    options: RequestOptions
    ids: ToolIds
    blob: BlobReader

    @classmethod
    def of(cls, rule: IdRule, options: RequestOptions, blob: BlobReader) -> Encoding:
        """Return the encoding for one request to an API with this rule for ids."""
        return cls(options, ToolIds(rule_for(rule, options.model)), blob)

    def is_own(self, reply: Reply) -> bool:
        """Return whether the requested model made the reply and its thinking may be sent."""
        same_provider = not self.options.provider or reply.provider == self.options.provider
        return same_provider and reply.model == self.options.model

    def signed(self, message: UserMessage) -> Mapping[str, Any] | None:
        """Return the signed block to send in place of a summary; None unless the requested server made it."""
        signed, options = message.signed, self.options
        if signed is None or not options.signed or signed.connection != options.provider:
            return None
        return None if options.facts is not None and options.facts.summarises is False else signed.content

    def image(self, image: Image) -> tuple[str, str] | str:
        """Return (media type, base64) of the image or PDF, or a note that replaces it when it cannot be sent."""
        data = self.blob(image.blob)
        if data is None:
            return f"[{image.media_type or 'image'}: its content is not in the archive]"
        media_type = detected_media_type(data)
        if media_type is None:
            return f"[{image.media_type or 'attachment'}: a kind that cannot be sent]"
        if note := self._refused(media_type, len(data)):
            return note
        if media_type != PDF and is_damaged(data):
            return f"[{media_type}: damaged, so it cannot be sent]"
        return (media_type, base64.b64encode(data).decode("ascii"))

    def _refused(self, media_type: str, size: int) -> str:
        traits = self.options.traits
        if not (traits.takes_pdfs if media_type == PDF else traits.takes_images):
            return f"[{media_type}: the model takes none]"
        kind, most = ("PDF", LARGEST_PDF) if media_type == PDF else ("image", LARGEST_IMAGE)
        if size <= most:
            return ""
        mb = 1024 * 1024
        return f"[{kind} of {size / mb:.1f} MB left out: more than {most // mb} MB cannot be sent]"


def detected_media_type(data: bytes) -> str | None:
    """Return the media type that the bytes show, which may differ from the declared one.

    None when no provider accepts it.
    """
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((media_type for head, media_type in _HEADS if data.startswith(head)), None)


def clean_text(text: str) -> str:
    """Return the text with lone surrogates replaced, since UTF-8 cannot encode them."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def clean_arguments(call: ToolCall) -> str:
    """Return the call's arguments as the text of a JSON object; `{}` when they are not one, or nest too deep."""
    arguments = arguments_of(call)
    if nests_deeper_than(arguments, MAX_NESTING):
        return "{}"
    return clean_json(compact_json(arguments))


def clean_json(text: str) -> str:
    """Return the JSON text with escaped lone surrogates replaced."""
    return _ESCAPE.sub(lambda found: "�" if found[1] else found[0], text)


def continuation_text(text: str) -> str:
    """Return the user message that asks a model to continue a reply, for APIs that cannot continue one."""
    return (
        f"Your last reply broke off. This is what arrived of it:\n\n{clean_text(text)}\n\n"
        "Go on exactly where it stops, without repeating any of it."
    )


def file_name(image: Image) -> str:
    """Return the file name to send with a PDF."""
    return clean_text(image.name) or "document.pdf"


def clean_name(name: str) -> str:
    """Return a tool's name with only characters that all providers accept."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:_LONGEST_NAME] or "tool"


def input_of(call: ToolCall) -> dict[str, Any]:
    """Return the call's arguments as a mapping that can be sent, equal to the JSON of `clean_arguments`."""
    plain = arguments_of(call)
    if all(name.isascii() and _is_plain(value) for name, value in plain.items()):
        return dict(plain)  # saves printing and parsing for nearly all calls; a long history has thousands
    value: dict[str, Any] = json.loads(clean_arguments(call))
    return value


def _is_plain(value: object) -> bool:
    """Return whether printing the value as JSON and parsing the result gives an equal value."""
    return value.isascii() if isinstance(value, str) else value is None or isinstance(value, int)


def texts_of(blocks: Iterable[object]) -> list[str]:
    """Return the texts of the text blocks, with lone surrogates replaced."""
    return [clean_text(block.text) for block in blocks if isinstance(block, Text)]
