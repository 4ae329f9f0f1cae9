"""Skills: folders with a file SKILL.md, whose text a session adds to the system prompt once they are activated.

The front matter, the limits, the words of the system prompt and the rule that activates a skill by a prompt are
librecode's (`internal/core/skills*.go`), which follows the Agent Skills specification.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from stemmata.domain.text.json_text import compact_json
from stemmata.domain.text.phrases import Phrase
from stemmata.domain.tool_calls.outcomes import details_of

FILE_NAME = "SKILL.md"
LONGEST_NAME = 64  # characters
LONGEST_DESCRIPTION = 1024  # characters
LONGEST_TEXT = 20_000  # characters of a skill that are sent
MOST_BY_PROMPT = 3  # skills of a session that are active because a prompt activated them
CUT_NOTE = "\n\n[skill content truncated]"
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_KEY = re.compile(r"([A-Za-z0-9_-]+)[ \t]*:(?:[ \t]+(.*))?")
_QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"\\]|\\.)*\"""")
_ESCAPED = re.compile(r"\\(.)")
_BLOCK = re.compile(r"[|>][0-9+-]{0,2}")
_MANUAL = ("disable-model-invocation", "disable_model_invocation")  # keys of a skill that no prompt activates


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """A skill as its folder holds it. `text` is the whole file SKILL.md, as far as it is sent.

    `by_prompt`: a prompt may activate it.
    """

    name: str
    description: str
    path: str
    text: str
    by_prompt: bool = True


@dataclass(frozen=True, slots=True)
class SkillProblem:
    """A problem of a skill's file or folder. The skill is left out, unless `text` says that it is used."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class SkillLibrary:
    """The skills of all chosen folders, those of earlier folders first, and the problems found there."""

    skills: tuple[Skill, ...] = ()
    problems: tuple[SkillProblem, ...] = ()

    def find(self, name: str) -> Skill | None:
        """Return the skill of this name; None when no folder holds it."""
        return next((skill for skill in self.skills if skill.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveSkill:
    """A skill that a session activated, with the text that its requests send even if the file changed since."""

    name: str
    text: str
    path: str = ""
    description: str = ""
    by_prompt: bool = False  # whether a prompt activated it


USER, PROMPT = "user", "prompt"  # the ways to activate a skill


def to_details(skill: Skill, by: str) -> str:
    """Return the details of an entry that activates a skill, as JSON text. `by` is USER or PROMPT."""
    return compact_json({"path": skill.path, "description": skill.description, "by": by})


def from_details(name: str, text: str, details: str) -> ActiveSkill:
    """Return the skill of an entry with this name, text and details; missing or invalid details are left out."""
    facts = details_of(details)
    return ActiveSkill(
        name=name,
        text=text,
        path=str(facts.get("path", "")),
        description=str(facts.get("description", "")),
        by_prompt=facts.get("by") == PROMPT,
    )


# -- the file SKILL.md ----------------------------------------------------------------------------------------


def skill_of(text: str, path: str, folder: str) -> tuple[Skill | None, tuple[SkillProblem, ...]]:
    """Return the skill that the text of a SKILL.md describes, and its problems; None when it cannot be used.

    `folder` is the name of its folder, which is also the name of a skill that has none.
    """
    fields = front_matter(text)
    if fields is None:
        return None, (SkillProblem(path, Phrase("The front matter between two lines “---” is missing.")),)
    name, description = fields.get("name") or folder, fields.get("description", "")
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        wrong = Phrase(
            "The name “{0}” is invalid: a name has at most {1} lower-case letters, digits and single hyphens.",
            name[:LONGEST_NAME], LONGEST_NAME,
        )  # fmt: skip
        return None, (SkillProblem(path, wrong),)
    if not description:
        return None, (SkillProblem(path, Phrase("The description is missing.")),)
    problems = []
    if name != folder:
        used = Phrase("The skill “{0}” is used, although its folder is called “{1}”.", name, folder)
        problems.append(SkillProblem(path, used))
    if len(description) > LONGEST_DESCRIPTION:
        cut = Phrase("Only the first {0} characters of the description are used.", LONGEST_DESCRIPTION)
        problems.append(SkillProblem(path, cut))
    is_manual = any(fields.get(key, "").lower() == "true" for key in _MANUAL)
    kept = description[:LONGEST_DESCRIPTION]
    return Skill(name=name, description=kept, path=path, text=_cut(text), by_prompt=not is_manual), tuple(problems)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + CUT_NOTE


def front_matter(text: str) -> dict[str, str] | None:
    """Return the top-level fields of the front matter as text; None when there is none, or its end is missing.

    This reads the part of YAML that skills use: plain, quoted and block scalars. Lists and mappings give "".
    """
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != "---":
        return None
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        return None
    return dict(_fields(lines[1:end]))


def _fields(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the fields. Lines that begin with white space continue the field above them."""
    at = 0
    while at < len(lines):
        found = _KEY.fullmatch(lines[at].rstrip())
        at += 1
        if found is None:
            continue
        more = []
        while at < len(lines) and (not lines[at].strip() or lines[at][0] in " \t"):
            more.append(lines[at].strip())
            at += 1
        yield found[1].lower(), _value(found[2] or "", more)


def _value(first: str, more: Sequence[str]) -> str:
    """Return the value of a field as one line, since names and descriptions are lines."""
    first = first.strip()
    if first[:1] in ('"', "'"):
        quoted = _QUOTED.match(" ".join([first, *more]))
        inside = quoted[0][1:-1] if quoted else ""
        return " ".join((inside.replace("''", "'") if first[0] == "'" else _ESCAPED.sub(_unescaped, inside)).split())
    if first[:1] in ("[", "{", "&", "*", "!"):
        return ""
    if _BLOCK.fullmatch(first):
        first = ""
    elif not first and any(line.startswith("- ") or _KEY.fullmatch(line) for line in more):
        return ""  # a list or a mapping
    return " ".join(" ".join([first.partition(" #")[0], *more]).split())


def _unescaped(found: re.Match[str]) -> str:
    return " " if found[1] in "nrt" else found[1]


def library_of(skills: Iterable[Skill], problems: Iterable[SkillProblem]) -> SkillLibrary:
    """Return the library of skills in the order of their folders. The first skill of a name is used."""
    found: dict[str, Skill] = {}
    told = list(problems)
    for skill in skills:
        first = found.setdefault(skill.name, skill)
        if first is not skill:
            told.append(SkillProblem(skill.path, Phrase("The name “{0}” is taken by {1}.", skill.name, first.path)))
    return SkillLibrary(tuple(found.values()), tuple(told))


# -- activation by a prompt -----------------------------------------------------------------------------------

_NAMED, _ALL_WORDS, _DESCRIBED = 100, 80, 40  # scores; a description adds the number of matching words
_LEAST_WORDS = 2  # words of one phrase of the description that the prompt has to contain
_SENTENCES = re.compile(r"[.;\n]+")
_WORD = re.compile(r"[^\W_]+")
_MARKERS = (
    "apply when", "also trigger", "also triggers", "trigger on", "triggers on", "use for", "use this", "use when",
    "whenever", "when ",
)  # fmt: skip
_SAME_WORD = {"golang": "go", "writing": "write", "uses": "use", "used": "use", "using": "use"}
_ENDINGS = ("ing", "ed", "es", "s")
_STOP_WORDS = frozenset(
    """
    about after agent also and any apply are build can code coding cover covers debug designed especially for from
    guide helps implement into not only project provides review similar skill task tasks that the their these this
    tool tools trigger use when whenever with work working write you
    """.split()
)


def matching_skills(prompt: str, skills: Iterable[Skill]) -> tuple[Skill, ...]:
    """Return the skills that a prompt activates, the best match first: those that it names or describes.

    A description matches when the prompt contains two words of one of its clauses that say when to use the skill.
    """
    words = _words(prompt[:LONGEST_TEXT])  # a pasted file would take long
    scored = [(_score(words, skill), skill) for skill in skills if skill.by_prompt]
    return tuple(skill for score, skill in sorted(scored, key=lambda one: -one[0]) if score)


def _score(prompt: Sequence[str], skill: Skill) -> int:
    name, known = _words(skill.name), frozenset(prompt)
    if known.issuperset(name):
        in_a_row = any(prompt[at : at + len(name)] == name for at in range(len(prompt)))
        return _NAMED if in_a_row else _ALL_WORDS
    clauses = (set(_words(clause)) - _STOP_WORDS for clause in _clauses(skill.description))
    most = max((len(clause & known) for clause in clauses), default=0)
    return _DESCRIBED + most if most >= _LEAST_WORDS else 0


def _clauses(description: str) -> Iterator[str]:
    """Yield the clauses of a description that say when to use the skill."""
    for sentence in _SENTENCES.split(description.lower()):
        yield from (clause for clause in sentence.split(",") if any(marker in clause for marker in _MARKERS))


def _words(text: str) -> list[str]:
    return [_stem(word) for word in _WORD.findall(text.lower())]


def _stem(word: str) -> str:
    if word in _SAME_WORD:
        return _SAME_WORD[word]
    ending = next((end for end in _ENDINGS if len(word) > len(end) + 2 and word.endswith(end)), "")
    return word.removesuffix(ending)


def to_activate(prompt: str, library: SkillLibrary, known: Container[str], by_prompt: int) -> tuple[Skill, ...]:
    """Return the skills that a new prompt activates in a session.

    `known` are the names of the skills that were ever switched on or off on the path: those stay as the user or an
    earlier prompt left them. `by_prompt` counts the active skills that a prompt activated; they are limited.
    """
    room = max(0, MOST_BY_PROMPT - by_prompt)
    return tuple(skill for skill in matching_skills(prompt, library.skills) if skill.name not in known)[:room]


# -- the system prompt ----------------------------------------------------------------------------------------

_LEAD = "The following skills were activated for this session.\nFollow their instructions when relevant."


def with_skills(system: str, active: Sequence[ActiveSkill]) -> str:
    """Return the system prompt with the texts of the active skills below it, in their order.

    The order is that of activation, so that a further skill keeps the cached beginning of the prompt.
    """
    if not active:
        return system
    lines = [_LEAD, "", "<active_skills>"]
    for skill in active:
        lines += ["  <skill>", f"    <name>{escape(skill.name)}</name>"]
        lines += [f"    <location>{escape(skill.path)}</location>"] if skill.path else []
        lines += ["    <truncated>true</truncated>"] if skill.text.endswith(CUT_NOTE) else []
        lines += ["    <content>", escape(skill.text, quote=False), "    </content>", "  </skill>"]
    block = "\n".join([*lines, "</active_skills>"])
    return f"{system.rstrip()}\n\n{block}" if system.strip() else block
