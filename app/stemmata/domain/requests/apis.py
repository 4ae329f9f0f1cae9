"""The APIs of models, one declaration for each with the builder of its requests.

All differences between the APIs other than their wire format are declared here. See docs/how-to-add-a-provider.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stemmata.domain.chat.connections import ANTHROPIC_URL, OPENAI_URL
from stemmata.domain.context.projection import Form
from stemmata.domain.entries.entry import Entry
from stemmata.domain.errors import NotFoundError
from stemmata.domain.requests.anthropic import anthropic_payload
from stemmata.domain.requests.message_normalizer import CleanMessage, normalize
from stemmata.domain.requests.openai_chat import chat_payload
from stemmata.domain.requests.request import BlobReader, Encoding, IdRule, Payload, RequestOptions
from stemmata.domain.requests.responses import codex_payload, responses_payload
from stemmata.domain.text.phrases import Phrase


@dataclass(frozen=True, slots=True)
class Api:
    """One form of API.

    `name` is its name in the settings; the word before the first hyphen is the provider's name in entries. `limit`
    is the field of a request that holds the longest reply, in tokens; "" for none. `version` is the path that the
    address of such a server ends with, "" for none. `vendor`, `url` and `variable` are the service that is offered
    in the connect dialog, its address and the environment variable of its key; "" where the form is only for other
    servers.
    """

    name: str
    title: str
    build: Callable[[Sequence[CleanMessage], Encoding], Payload]
    limit: str
    ids: IdRule = IdRule.OPENAI
    version: str = "/v1"
    vendor: str = ""
    url: str = ""
    variable: str = ""

    def reply_limit(self, payload: Mapping[str, Any]) -> int | None:
        """Return the maximum output tokens in a request, thinking included; None when the request names no limit."""
        limit = payload.get(self.limit)
        return limit if isinstance(limit, int) else None


APIS = (
    Api(
        "anthropic",
        "Anthropic Messages",
        anthropic_payload,
        "max_tokens",
        ids=IdRule.ANTHROPIC,
        version="",
        vendor="Anthropic",
        url=ANTHROPIC_URL,
        variable="ANTHROPIC_API_KEY",
    ),
    Api("openai-chat", "OpenAI Chat Completions", chat_payload, "max_completion_tokens"),
    Api(
        "openai-responses",
        "OpenAI Responses",
        responses_payload,
        "max_output_tokens",
        vendor="OpenAI",
        url=OPENAI_URL,
        variable="OPENAI_API_KEY",
    ),
    Api("openai-codex-responses", "OpenAI Codex Responses", codex_payload, "", version="/codex"),
)
API_NAMES = tuple(api.name for api in APIS)


def api_of(name: str) -> Api:
    """Return the API of this name. Raises NotFoundError for a name that is not one of `API_NAMES`."""
    found = next((api for api in APIS if api.name == name), None)
    if found is None:
        raise NotFoundError(Phrase("Unknown API “{0}”. Available: {1}.", name, ", ".join(API_NAMES)))
    return found


def payload_of(
    api: str, messages: Iterable[tuple[Entry, Form]], options: RequestOptions, blob: BlobReader
) -> Payload:
    """Return the exact JSON body of a request. `blob` returns an attachment's bytes by digest, None if they are gone.

    Raises NotFoundError for an API that is not one of `API_NAMES`.
    """
    form = api_of(api)
    return form.build(normalize(messages), Encoding.of(form.ids, options, blob))
