"""The one way in: messages of the projection and an API's name give the payload to send."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from stemmata.domain.context.projection import Form
from stemmata.domain.entries.entry import Entry
from stemmata.domain.errors import NotFoundError
from stemmata.domain.requests.anthropic import anthropic_payload
from stemmata.domain.requests.message_normalizer import CleanMessage, clean
from stemmata.domain.requests.openai_chat import chat_payload
from stemmata.domain.requests.request import BlobReader, Encoding, Payload, RequestOptions
from stemmata.domain.requests.responses import responses_payload
from stemmata.domain.text.phrases import Phrase

APIS = ("anthropic", "openai-chat", "openai-responses")


def payload_of(
    api: str, messages: Iterable[tuple[Entry, Form]], options: RequestOptions, blob: BlobReader
) -> Payload:
    """The exact JSON body. `blob` gives an attachment's bytes by digest, None when they are gone.

    Raises NotFoundError for an API that is not one of `APIS`.
    """
    builders: dict[str, Callable[[Sequence[CleanMessage], Encoding], Payload]] = dict(
        zip(APIS, (anthropic_payload, chat_payload, responses_payload), strict=True)
    )
    if api not in builders:
        raise NotFoundError(Phrase("There is no API called “{0}”. Known are {1}.", api, ", ".join(APIS)))
    return builders[api](clean(messages), Encoding.of(api, options, blob))
