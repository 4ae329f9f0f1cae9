"""The states of all runs, for watchers."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock

from stemmata.domain.chat.run import RunChanged, RunEvent, RunState
from stemmata.domain.chat.streaming import StopReason
from stemmata.domain.text.phrases import Phrase


def limit_reached(limit: int) -> Phrase:
    """Return the message for a reply that reached its limit of tokens."""
    return Phrase("The reply reached the limit of {0} tokens.", limit)


def ending(reason: StopReason, model: str, *, is_empty: bool) -> tuple[Phrase, tuple[str, ...]] | None:
    """Return the message and the offers for a reply that ended early; None for a complete reply."""
    if reason is StopReason.REFUSAL:
        words = Phrase("{0} refused to continue. The received part is kept. Rephrase your message.", model)
        if is_empty:
            words = Phrase("{0} refused to answer. Rephrase your message.", model)
        return words, ("retry", "model")
    if reason is StopReason.CONTEXT_FULL:
        words = Phrase("The reply filled the context window of {0} and ended. The received part is kept.", model)
        if is_empty:
            words = Phrase(
                "The reply of {0} is empty, because the context window is full. Your message is kept.", model
            )
        return words, ("compact", "retry")
    if is_empty:
        return Phrase("The reply of {0} is empty. Your message is kept.", model), ("retry", "model")
    return None


def too_many_rounds(calls: int, pauses: int) -> Phrase:
    """Return the message for a run that paused after many tool calls."""
    if not pauses:
        return Phrase(
            "The model called tools {0} times in a row. Everything is kept. Press Continue to let it go on.", calls
        )
    if not calls:
        return Phrase(
            "The model paused {0} times in a row without finishing. Everything is kept. Press "
            "Continue to let it go on.",
            pauses,
        )
    return Phrase(
        "The model called tools {0} times and paused {1} times without finishing. Everything is "
        "kept. Press Continue to let it go on.",
        calls,
        pauses,
    )


def too_large(tokens: int, model: str, window: int | None) -> Phrase:
    """Return the message for an entry that is larger than the window."""
    if window is None:
        return Phrase(
            "One entry has about {0} tokens, which is more than {1} takes. It is kept and was not answered. Cut it, "
            "leave it out of the context or have it summarised; choose a model with a larger window; or take it back "
            "and send it in parts.",
            tokens,
            model,
        )
    return Phrase(
        "One entry has about {0} tokens, and the context window of {1} has {2}. It is kept and was not answered. Cut "
        "it, leave it out of the context or have it summarised; choose a model with a larger window; or take it back "
        "and send it in parts.",
        tokens,
        model,
        window,
    )


def too_long(tokens: int, window: int) -> Phrase:
    """Return the message for a request that no compaction makes short enough."""
    return Phrase(
        "The request would have about {0} tokens, and the model’s context window has {1}. It was not sent, and "
        "nothing more can be left out automatically. Compact more of the session, or choose a model with a larger "
        "window.",
        tokens,
        window,
    )


def not_sent(model: str, count: int) -> Phrase:
    """Return the message for media that the model does not accept."""
    return Phrase("{0} does not accept images and PDFs of this session ({1}); they were not sent", model, count)


def sent_as_text() -> Phrase:
    """Return the message for a summary whose signature its provider refused."""
    return Phrase("The signed summary was refused; it was sent as plain text")


def sent_without_thoughts() -> Phrase:
    """Return the message for earlier thinking that its provider no longer accepts."""
    return Phrase("The server does not accept its earlier thinking any more; the request was sent without it")


def comes_next() -> Phrase:
    """Return the message for a queued message that is sent at the next block boundary."""
    return Phrase("Your message is sent after this part of the reply")


def branched_notice() -> Phrase:
    """Return the message for two processes that continued the same session."""
    return Phrase("Another window continued this session. Your message began a new branch.")


def writes_notes() -> Phrase:
    """Return the message for a memory flush."""
    return Phrase("Storing notes in memory before a compaction")


log = logging.getLogger(__name__)

Watcher = Callable[[RunEvent], None]


class RunStates:
    """The states of runs by session. Any thread may read them; the io thread sets them and calls the watchers."""

    def __init__(self) -> None:
        self._states: dict[int, RunState] = {}
        self._watchers: tuple[Watcher, ...] = ()
        self._lock = Lock()

    def state(self, session: int) -> RunState:
        """Return the state of a session's run; idle when there is none."""
        return self._states.get(session) or RunState(session=session)

    def set(self, state: RunState) -> None:
        """Set a state and tell the watchers."""
        self._states[state.session] = state
        self.tell(RunChanged(state))

    def tell(self, event: RunEvent) -> None:
        """Pass an event to the watchers. A watcher's exception is logged and does not stop the run."""
        for watcher in self._watchers:
            try:
                watcher(event)
            except Exception:
                log.exception("Somebody who watches a run failed.")

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Add a watcher and return the function that removes it. Calling that twice is harmless."""
        with self._lock:
            self._watchers = (*self._watchers, watcher)

        def unwatch() -> None:
            with self._lock:
                self._watchers = tuple(other for other in self._watchers if other is not watcher)

        return unwatch
