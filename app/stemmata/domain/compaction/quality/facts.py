"""Plant facts in a conversation, and count those that a summary still answers.

A fact is answered when the text contains all of its words. The words are invented, so that they occur
nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from random import Random

from stemmata.domain.compaction.digest.passages import one_line
from stemmata.domain.compaction.digest.story import is_request
from stemmata.domain.entries.blocks import Text, ToolCall
from stemmata.domain.entries.entry import Entry, Flag, Role


class FactKind(Enum):
    """The subjects of planted facts."""

    CONSTRAINT = "constraints"
    DECISION = "decisions"
    FILE = "file states"
    COMMAND = "failing commands"
    TASK = "open tasks"
    NAME = "names"
    NUMBER = "numbers"


@dataclass(frozen=True, slots=True)
class PlantedFact:
    """A planted fact. `answers` are the words that a summary needs, all of them, in any case and spacing."""

    kind: FactKind
    question: str
    answers: tuple[str, ...]

    def is_in(self, text: str) -> bool:
        """Return whether a text, as `folded` gives it, answers the question."""
        return all(folded(answer) in text for answer in self.answers)


@dataclass(frozen=True, slots=True)
class Planted:
    """A conversation with facts in it."""

    entries: tuple[Entry, ...]
    facts: tuple[PlantedFact, ...]


def folded(text: str) -> str:
    """Return a text in lower case and with single spaces, for comparisons."""
    return one_line(text).casefold()


def score(text: str, facts: Sequence[PlantedFact]) -> dict[FactKind, tuple[int, int]]:
    """Return for each kind how many facts the text answers, and how many there are."""
    told = folded(text)
    counts: dict[FactKind, tuple[int, int]] = {}
    for fact in facts:
        kept, all_of_them = counts.get(fact.kind, (0, 0))
        counts[fact.kind] = kept + fact.is_in(told), all_of_them + 1
    return counts


_SYLLABLES = "ba ce di fo gu ka le mi no pu ra se ti vo za bre cli dro fla gri plo ska tre".split()


def _made_up_word(random: Random) -> str:
    """Return a made-up word that no conversation contains."""
    return "".join(random.choice(_SYLLABLES) for _ in range(4))


# Sentences of people. `{a}`, `{b}` and `{n}` are made-up words and a number. Half of the sentences have none of the
# words by which the digest recognises such sentences, since people often use none.
_SENTENCES = {
    FactKind.CONSTRAINT: (
        ("Never touch the folder {a}, the vendor owns it.", "Which folder is off limits?", "{a}"),
        ("Please don't add {a} as a dependency.", "Which dependency is unwanted?", "{a}"),
        ("The output has to stay below {n} kB on the {a} board.", "What is the limit on the board?", "{n}|{a}"),
        ("I want {a} style names in this module, nothing else.", "Which style do names have?", "{a}"),
        ("Everything that goes out is signed with the {a} key.", "Which key signs?", "{a}"),
        ("All dates are shown in the {a} calendar.", "Which calendar shows dates?", "{a}"),
    ),
    FactKind.DECISION: (
        ("Let's go with {a} instead of {b}.", "What was chosen?", "{a}"),
        ("OK, we decided on {a} for the cache.", "What is the cache built on?", "{a}"),
        ("Fine, {a} it is, and {b} is out.", "What was chosen?", "{a}"),
        ("I talked to them: the queue moves to {a}.", "Where does the queue move?", "{a}"),
    ),
    FactKind.TASK: (
        ("TODO later: write the {a} migration.", "What is still to be written?", "{a}"),
        ("We still have to tell support about {a} before the release.", "What must support be told about?", "{a}"),
        ("Remind me to rotate the {a} certificate next week.", "What is to be rotated?", "{a}"),
        ("After this we need a test for {a}.", "What needs a test?", "{a}"),
    ),
    FactKind.NAME: (
        ("{A} from the platform team reviews this part.", "Who reviews?", "{a}"),
        ("The customer is called {A}.", "What is the customer called?", "{a}"),
        ("Ask {A} when the build machine is down.", "Who is asked about the build machine?", "{a}"),
    ),
    FactKind.NUMBER: (
        ("The staging server answers on port {n}.", "On which port does staging answer?", "{n}"),
        ("They promised {n} requests a minute.", "How many requests a minute were promised?", "{n}"),
        ("Ticket {n} has the details.", "Which ticket has the details?", "{n}"),
    ),
}


def plant(entries: Sequence[Entry], seed: int, each: int = 6) -> Planted:
    """Return the conversation with `each` facts of every kind, spread over its turns. Equal input gives equal output.
    Sentences are added to requests of the user; work on files and commands is added as separate turns.
    """
    random = Random(f"facts {seed}")  # noqa: S311 - equal seeds give equal facts
    out, facts = list(entries), list[PlantedFact]()
    for kind in FactKind:
        for _ in range(each):
            if kind in _SENTENCES:
                facts.append(_say(out, kind, random))
            else:
                facts.append(_work(out, kind, random))
    return Planted(tuple(out), tuple(facts))


def _say(out: list[Entry], kind: FactKind, random: Random) -> PlantedFact:
    template, question, answers = random.choice(_SENTENCES[kind])
    a, b, n = _made_up_word(random), _made_up_word(random), str(random.randrange(10_000, 99_999))
    filled = {"a": a, "b": b, "n": n, "A": a.capitalize()}
    requests = [at for at, entry in enumerate(out) if is_request(entry)]
    sentence = template.format(**filled)
    if requests:
        at = random.choice(requests)
        out[at] = replace(out[at], blocks=(*out[at].blocks, Text(sentence)))
    else:
        out.insert(0, Entry(id=f"planted-{a}", role=Role.USER, blocks=(Text(sentence),)))
    return PlantedFact(kind, question, tuple(answer.format(**filled) for answer in answers.split("|")))


def _work(out: list[Entry], kind: FactKind, random: Random) -> PlantedFact:
    """Insert a turn, before a request or at the end, in which a file is changed or a command fails."""
    places = [at for at, entry in enumerate(out) if is_request(entry)]
    at = random.choice([*places, len(out)])
    word, code = _made_up_word(random), random.randrange(2, 120)
    if kind is FactKind.FILE:
        name, arguments = "write", {"path": f"src/{word}.py", "content": "pass\n"}
        fact = PlantedFact(kind, "Which file was written?", (f"{word}.py",))
        answer, failed, request = "Wrote 5 bytes.", False, "Add the empty module."
    else:
        command = f"make {word}-test"
        name, arguments = "bash", {"command": command}
        fact = PlantedFact(kind, "Which command fails?", (command,))
        answer, failed, request = f"make: *** [{word}-test] Error {code}", True, "Run that check."
    call = ToolCall(f"call-{word}", name, json.dumps(arguments))
    flags = Flag.FAILED if failed else Flag.NONE
    out[at:at] = [
        Entry(id=f"{word}-1", role=Role.USER, blocks=(Text(request),)),
        Entry(id=f"{word}-2", role=Role.ASSISTANT, blocks=(call,)),
        Entry(id=f"{word}-3", role=Role.TOOL_RESULT, tool=name, call=call.id, blocks=(Text(answer),), flags=flags),
        Entry(id=f"{word}-4", role=Role.ASSISTANT, blocks=(Text("Done." if not failed else "It fails."),)),
    ]
    return fact
