"""Every trigger of automatic compaction in every situation: the tests hold it, the documentation shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stemmata.domain.chat.run import Phase, ToolOutcome
from stemmata.domain.entries.blocks import Text
from stemmata.domain.entries.entry import Kind, Role
from tests.fakes.chat_app import chat_app
from tests.fakes.script import Break, Call, Refuse, Reply, Say
from tests.fakes.waiting import PATIENCE
from tests.faults.compaction_stage import ANSWER, LARGE, RULE, SUMMARY, WINDOW, CompactionScene

AFTER, BEFORE, OVERFLOW = "after a reply", "before a request", "overflow"
LONG = "Please read this. " * 300  # about 1,350 tokens
REFUSED = Reply(blocks=(Say("I cannot help with that."),), stop="refusal")
CUT = Reply(blocks=(Say(SUMMARY[:200]),), stop="max_tokens")
EMPTY = Reply(blocks=())
HUGE = Reply(blocks=(Say(SUMMARY.replace("About goal.", "About the goal. " * 1190)),))
GONE = Reply(breaks=Break("fin"))
TOKENS_A_MINUTE = Refuse(
    429,
    "This request would exceed the rate limit of 20,000 input tokens per minute: too many tokens.",
    headers={"retry-after": "0"},
)
Play = Callable[[CompactionScene], None]


@dataclass(frozen=True, kw_only=True)
class CompactionCase:
    """`play` does what the situation names, and asserts what only this case has.

    `compacted` and `pruned` count the entries that were stored, `paid` the requests for summaries that were sent.
    `sees` are pieces of what the person reads: in notes of the session, or in the state of the run where `problem`.
    `happens` says more than the numbers. Where the process is killed, the figures are those of the next process.
    """

    trigger: str
    situation: str
    play: Play
    compacted: int = 0
    pruned: int = 0
    paid: int = 0
    sees: tuple[str, ...] = ()
    problem: str = ""
    happens: str = ""
    offers: tuple[str, ...] = ()


TOO_LARGE = "longer than the model’s context window"
DONE, PRUNED = "🧹 Auto-compaction complete", "🔧 Tool outputs pruned"
BUSY = Refuse(529, "Overloaded")
AGAIN = "Stemmata tries to compact automatically again after the next reply."
DIGEST = "The digest needs no model"


def nearly(scene: CompactionScene, summariser: str = "digest") -> None:
    """The next long reply brings the context above the trigger."""
    scene.fill(7)
    scene.settings(summariser=summariser)
    scene.server.script(ANSWER)


def reply(summariser: str = "digest", *summaries: Reply | Refuse) -> Play:
    def play(scene: CompactionScene) -> None:
        nearly(scene, summariser)
        scene.summaries += summaries
        scene.say()
        assert scene.replies() >= 8

    return play


def keeps_the_rest(scene: CompactionScene) -> None:
    reply()(scene)
    notes = scene.notes
    for part in ("📝 Summary:", "💬 Kept context:", "📊 Total:", "Summary: the digest, at no cost."):
        assert part in notes
    scene.say("And now?")
    assert RULE in scene.sent()


def tools_suffice(scene: CompactionScene) -> None:
    """6,000 tokens of tool output, which the model has read."""
    scene.tools.answers["look"] = lambda _call, _ask: ToolOutcome((Text("A line of output. " * 1_300),))
    scene.settings(tool_prune_threshold=4_000)
    scene.fill(2)
    scene.server.script(Reply(blocks=(Call("look"),)), ANSWER)
    scene.say("Look at it.")


def again_and_again(scene: CompactionScene) -> None:
    """In a window of 8,000 tokens, every second reply is above the trigger of 3,200."""
    scene.set_window(8_000)
    for _ in range(10):
        scene.server.script(ANSWER)
        scene.say("Go on.")


def meanwhile(scene: CompactionScene) -> None:
    nearly(scene, "model")
    scene.hold()
    scene.chat.say(scene.session, "Go on.")
    assert scene.asked_for_summary.wait(PATIENCE)
    scene.chat.say(scene.session, "A word in between.")
    assert scene.last() == "Done."
    assert scene.compactions == 0
    scene.release()
    scene.settle()
    scene.say("And then?")
    assert "A word in between." in scene.sent()
    assert "Do step 3." not in scene.sent()


def elsewhere(scene: CompactionScene) -> None:
    """Another process appends to the session while the model writes a summary."""
    nearly(scene, "model")
    scene.hold()
    scene.chat.say(scene.session, "Go on.")
    assert scene.asked_for_summary.wait(PATIENCE)
    with chat_app(scene.folder, scene.server.url) as other:
        other.services.contexts.settings = other.services.contexts.settings._replace(enabled=False)
        other.say(scene.session, "From the other window.")
        assert other.runs.state(scene.session).phase is Phase.IDLE
    scene.release()
    scene.settle()
    scene.say("And then?")
    assert "From the other window." in scene.sent()


def left(scene: CompactionScene) -> None:
    """The leaf moves to another branch while the model writes."""
    nearly(scene, "model")
    first = scene.chat.path(scene.session)[1][0].key
    scene.hold()
    scene.chat.say(scene.session, "Go on.")
    assert scene.asked_for_summary.wait(PATIENCE)
    scene.chat.services.branching.move_leaf(scene.session, first).result()
    scene.release()
    scene.settle()


def switched_off(scene: CompactionScene) -> None:
    nearly(scene)
    scene.chat.services.sessions.set_manual_compaction(scene.session, on=True).result()
    scene.say()
    scene.server.window = WINDOW // 4
    scene.say()


def silent(scene: CompactionScene) -> None:
    nearly(scene)
    scene.settings(notify=False)
    scene.say()
    assert not scene.outcome(scene.chat).notices


def quiet(scene: CompactionScene) -> None:
    nearly(scene)
    scene.chat.services.sessions.set_verbosity(scene.session, "off").result()
    scene.say()
    assert not scene.outcome(scene.chat).notices


def refused(scene: CompactionScene) -> None:
    nearly(scene)
    scene.chat.runs.count_down(PATIENCE)
    scene.chat.say(scene.session, "Go on.")
    scene.awaited()
    scene.chat.runs.answer_compaction(scene.session, begin=False)
    scene.settle()
    scene.say("A short one.")  # not asked again before the context has grown by 1,000 tokens
    assert scene.compactions == 0
    scene.server.script(ANSWER)
    scene.chat.events.clear()
    scene.chat.say(scene.session, "Go on.")
    scene.awaited()
    scene.chat.runs.answer_compaction(scene.session, begin=False)
    scene.settle()


def passes(scene: CompactionScene) -> None:
    nearly(scene)
    scene.chat.runs.count_down(0.01)
    scene.say()


def hurried(scene: CompactionScene) -> None:
    """A request that does not fit ends the countdown."""
    nearly(scene)
    scene.chat.runs.count_down(PATIENCE)
    scene.chat.say(scene.session, "Go on.")
    scene.awaited()
    scene.say(LONG * 12)


def unknown(scene: CompactionScene) -> None:
    nearly(scene)
    scene.set_window(None)
    scene.say()


def killed_awaiting(scene: CompactionScene) -> None:
    nearly(scene)
    scene.chat.runs.count_down(PATIENCE)
    scene.chat.say(scene.session, "Go on.")
    scene.awaited()
    survives(scene)
    scene.chat.runs.answer_compaction(scene.session, begin=False)
    scene.settle()


def killed_writing(scene: CompactionScene) -> None:
    nearly(scene, "model")
    scene.hold()
    scene.chat.say(scene.session, "Go on.")
    assert scene.asked_for_summary.wait(PATIENCE)
    survives(scene)
    scene.release()
    scene.settle()


def killed_stored(scene: CompactionScene) -> None:
    reply()(scene)
    survives(scene, compacted=1)


def killed_before(scene: CompactionScene) -> None:
    """The message is stored, its compaction is not."""
    scene.fill(11)
    scene.settings(summariser="model")
    scene.hold()
    scene.chat.send(scene.session, LONG)
    assert scene.asked_for_summary.wait(PATIENCE)
    survives(scene)
    scene.chat.runs.stop(scene.session).result(PATIENCE)
    scene.release()


def survives(scene: CompactionScene, compacted: int = 0) -> None:
    """Another process opens the archive in its present state, continues and compacts."""
    with scene.survivor() as other:
        other.services.contexts.settings = scene.chat.services.contexts.settings._replace(summariser="digest")
        other.services.catalogue = scene.chat.services.catalogue
        other.services.contexts.adopt(other.services.catalogue)
        assert other.services.sessions.check().result() == []
        kinds = [row.kind for row, _ in other.path(scene.session)]
        assert kinds.count(Kind.COMPACTION) == compacted
        other.say(scene.session, "Go on.")
        other.runs.settled().result(PATIENCE)
        scene.survived = scene.outcome(other)


def long_message(summariser: str = "digest", *summaries: Reply | Refuse, exchanges: int = 7) -> Play:
    def play(scene: CompactionScene) -> None:
        scene.fill(exchanges)
        scene.settings(summariser=summariser)
        scene.summaries += summaries
        scene.say(LONG)
        if scene.chat.runs.state(scene.session).phase is Phase.IDLE:
            assert scene.last() == "Done."
            assert LONG.strip() in scene.sent()

    return play


def tool_loop(scene: CompactionScene) -> None:
    """The output of the second call brings the context above the trigger in the middle of a turn."""
    scene.tools.answers["look"] = lambda _call, _ask: ToolOutcome((Text("A line of output. " * 400),))
    scene.settings(tool_policy="keep_all")
    scene.fill(5)
    call = Reply(blocks=(Call("look"),))
    scene.server.script(call, call, call, Reply(blocks=(Say("Done."),)))
    scene.say("Look three times.")
    assert scene.last() == "Done."
    results = [row for row, _ in scene.chat.path(scene.session) if row.role is Role.TOOL_RESULT]
    assert len(results) == 3


def one_entry(scene: CompactionScene) -> None:
    scene.server.window = WINDOW
    scene.say("word " * 22_000)


def stopped(scene: CompactionScene) -> None:
    scene.fill(11)
    scene.settings(summariser="model")
    scene.hold()
    scene.chat.send(scene.session, LONG)
    assert scene.asked_for_summary.wait(PATIENCE)
    scene.chat.runs.stop(scene.session).result(PATIENCE)
    scene.release()
    assert scene.chat.path(scene.session)[-1][0].role is Role.USER


def imported(scene: CompactionScene) -> None:
    """A session that was never compacted here, with a countdown before its first message is sent."""
    scene.fill(8)
    scene.chat.runs.count_down(PATIENCE)
    scene.chat.send(scene.session, "Thank you.")
    scene.awaited()
    assert scene.chat.runs.state(scene.session).phase is Phase.COMPACTING
    scene.chat.runs.answer_compaction(scene.session, begin=False)
    scene.chat.wait(lambda: not scene.chat.runs.state(scene.session).is_busy)
    assert scene.last() == "Done."
    scene.settle()


def rate_limit(scene: CompactionScene) -> None:
    scene.fill(3)
    scene.server.script(TOKENS_A_MINUTE)
    scene.say()
    assert scene.last() == "Done."
    assert len(scene.server.requests) == 2


def overflow(*refusals: Refuse, exchanges: int = 6, window: int = 4_000, **settings: int) -> Play:
    """The server takes less than the program knows, which is a window of 200,000 tokens."""

    def play(scene: CompactionScene) -> None:
        scene.fill(exchanges)
        scene.set_window(LARGE)
        scene.settings(**settings)
        if refusals:
            scene.server.script(*refusals)
        else:
            scene.server.window = window
        scene.say()

    return play


def overflow_of_unknown(scene: CompactionScene) -> None:
    scene.fill(6)
    scene.set_window(None)
    scene.server.window = 4_000
    scene.say()
    assert scene.last() == "Done."


TOO_LONG = Refuse(400, "prompt is too long: 250000 tokens > 200000 maximum")


def _after(situation: str, play: Play, **facts: Any) -> CompactionCase:
    return CompactionCase(trigger=AFTER, situation=situation, play=play, **facts)


def _before(situation: str, play: Play, **facts: Any) -> CompactionCase:
    return CompactionCase(trigger=BEFORE, situation=situation, play=play, **facts)


def _overflow(situation: str, play: Play, **facts: Any) -> CompactionCase:
    return CompactionCase(trigger=OVERFLOW, situation=situation, play=play, **facts)


def _fails(situation: str, words: str, *summaries: Reply | Refuse, paid: int) -> CompactionCase:
    return _after(situation, reply("model", *summaries), paid=paid, sees=(words, AGAIN, DIGEST),
                  happens="the context stays as it is, and the digest is offered")  # fmt: skip


CASES = (
    _after("above the trigger, digest", keeps_the_rest, compacted=1, sees=(DONE, "after the reply"),
           happens="in the background, between two replies"),
    _after("above the trigger, a model writes", reply("model"), compacted=1, paid=2,
           sees=(DONE, "Summary: fake/claude-haiku-3-5", "tokens in", "$0.0"), happens="in the background"),
    _after("old tool output is enough", tools_suffice, pruned=1, sees=(PRUNED, "📊 Context:"),
           happens="no summary is written"),
    _after("again and again in a window of 8,000 tokens", again_and_again, compacted=4,
           sees=(DONE, "⚠️ Compactions are frequent and save little", "The model’s window is small"),
           happens="the notes name the causes"),
    _after("a message is sent while the summary is written", meanwhile, compacted=1, paid=2, sees=(DONE,),
           happens="the message is answered at once and stays word for word; no second summary is paid"),
    _after("another window continues the session meanwhile", elsewhere, compacted=1, paid=2, sees=(DONE,),
           happens="what the other window added stays word for word"),
    _after("the leaf moves to another branch meanwhile", left, paid=2,
           sees=("moved to another branch", "The attempt cost"), happens="nothing is stored"),
    _after("the countdown ends", passes, compacted=1, sees=(DONE,), happens="as without a countdown"),
    _after("*Not now* in the countdown", refused,
           happens="asked again when the context has grown by an eighth of the trigger"),
    _after("the countdown runs, and a request does not fit", hurried, compacted=1, sees=(DONE,),
           happens="the countdown ends at once"),
    _after("switched off for the session", switched_off, problem=TOO_LARGE,
           happens="never, not even after an overflow", offers=("compact", "retry")),
    _after("`compaction.notify` is off", silent, compacted=1, happens="without a notice"),
    _after("the verbosity of the session is off", quiet, compacted=1, happens="without a notice"),
    _after("the window is unknown", unknown, happens="only an overflow tells that the context is too large"),
    _fails("the summariser is overloaded at every try", "is overloaded", *3 * [BUSY], paid=3),
    _fails("the summariser’s rate limit mentions tokens, at every try", "limits the rate", *3 * [TOKENS_A_MINUTE],
           paid=3),
    _after("the summariser is overloaded once", reply("model", BUSY), compacted=1, paid=3, sees=(DONE,),
           happens="the summariser is asked again"),
    _fails("the connection breaks while the summary is written", "was lost", GONE, paid=1),
    _fails("the summary is truncated twice", "cut off at", CUT, CUT, paid=2),
    _fails("the summariser refuses twice", "refused twice", REFUSED, REFUSED, paid=2),
    _fails("the summary is empty twice", "The summary is empty", EMPTY, EMPTY, paid=2),
    _fails("the summary is longer than what it replaces, twice", "longer than what it summarises", HUGE, HUGE,
           paid=2),
    _after("the summary is truncated once", reply("model", CUT), compacted=1, paid=3, sees=(DONE,),
           happens="the model corrects it"),
    _after("the summariser refuses once", reply("model", REFUSED), compacted=1, paid=3, sees=(DONE,),
           happens="the model corrects it"),
    _after("the summary is empty once", reply("model", EMPTY), compacted=1, paid=3, sees=(DONE,),
           happens="the model corrects it"),
    _after("killed in the countdown", killed_awaiting, compacted=1, sees=(DONE,), happens="by the next message"),
    _after("killed while the summary is written", killed_writing, compacted=1, paid=1, sees=(DONE,),
           happens="by the next message; what was written is lost"),
    _after("killed after the compaction is stored", killed_stored, compacted=1, sees=(DONE,),
           happens="compaction and notice are stored together"),
    _before("above the trigger", long_message(), compacted=1, sees=(DONE, "the next request was above the trigger"),
            happens="then the message is sent"),
    _before("above the trigger, the summariser fails", long_message("model", *3 * [BUSY]), paid=3,
            sees=("is overloaded", "again after 2 more replies", DIGEST),
            happens="the message fits and is sent; nothing more is paid for in this turn"),
    _before("no room for the longest reply", long_message(exchanges=10), compacted=1, sees=(DONE,),
            happens="then the message is sent"),
    _before("larger than the window", long_message(exchanges=19), compacted=1, sees=(DONE,),
            happens="then the message is sent"),
    _before("larger than the window, the summariser fails",
            long_message("model", *3 * [BUSY], exchanges=19), paid=3, problem="is overloaded",
            offers=("digest", "retry"), happens="the message is kept and not sent"),
    _before("one entry is larger than the window", one_entry, problem="One entry has about",
            offers=("cut", "exclude", "summarise", "model", "take-back"), happens="the message is kept and not sent"),
    _before("in a loop of tool calls", tool_loop, compacted=1, sees=(DONE,),
            happens="between two calls; every call keeps its result"),
    _before("an old session, *Not now* in the countdown", imported, happens="the message is sent: it fits"),
    _before("stopped while the summary is written", stopped, paid=1, happens="the message is kept and not sent"),
    _before("killed while the summary is written", killed_before, compacted=1, paid=1, sees=(DONE,),
            happens="by the next message; the first one is kept and was not answered"),
    _overflow("the server refuses the request as too long", overflow(), compacted=1,
              sees=(DONE, "the provider refused the request as too long"),
              happens="and the request is sent once more"),
    _overflow("it refuses twice", overflow(TOO_LONG, TOO_LONG, keep_recent_tokens=1_000), compacted=1,
              sees=(DONE,), problem=TOO_LARGE,
              offers=("compact", "retry"), happens="it is not sent a third time"),
    _overflow("the window is unknown", overflow_of_unknown, compacted=1, sees=(DONE,),
              happens="the limit in the refusal is the window from now on"),
    _overflow("`compaction.retry_on_overflow` is off", overflow(retry_on_overflow=False), problem=TOO_LARGE,
              offers=("compact", "retry"), happens="the message is kept and was not answered"),
    _overflow("a rate limit that mentions tokens", rate_limit,
              happens="it is no overflow: the request is sent once more as it is"),
)  # fmt: skip
