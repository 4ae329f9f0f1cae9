"""Declare the items of the lists in the settings file once: keys, validation, titles, help texts and choices.

Reading, validating and writing the file follow from it, and so do the fields of the forms in the window. An item is a
connection, a tool server, a consent, or the user's facts about a model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Generic, TypeAlias, TypeVar
from urllib.parse import urlsplit

from stemmata.domain.chat.catalogue import Model
from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.tool_servers import KeptConsent, ToolServer
from stemmata.domain.requests.apis import API_NAMES, APIS

ANSWERS = ("always", "never")
LONGEST = 4096  # characters of any text value
LONGEST_NAME = 64
MILLION = 1_000_000
_NAME = re.compile(r"[^\s/\x00-\x1f](?:[^/\x00-\x1f]*[^\s/\x00-\x1f])?")
_SERVER_NAME = re.compile(r"[A-Za-z0-9_-]{1,32}")  # prefix of its tools' names, which providers restrict
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_KEYED = frozenset({"authorization", "x-api-key", "api-key", "x-goog-api-key", "proxy-authorization", "cookie"})
_STAND_IN = re.compile(r"\$\{(?:key|env:[A-Za-z_][A-Za-z0-9_]*)\}")

T = TypeVar("T")
Check: TypeAlias = Callable[[str, str, str], None]  # receives a text, its key, and the item in words


class ItemError(ValueError):
    """An item is invalid. The message says why; `key` is the invalid key, or "" for the item as a whole."""

    def __init__(self, text: str, key: str = "") -> None:
        super().__init__(text)
        self.key = key


class FieldKind(Enum):
    """The controls for entering a value in a form."""

    TEXT = "text"
    HIDDEN = "hidden"  # a text that is not shown
    CHOICE = "choice"
    LINES = "lines"  # a list, one text per line
    PAIRS = "pairs"  # a table, one name and value per line
    TOKENS = "tokens"  # a number of tokens, such as 200000 or 200k
    DOLLARS = "dollars"


@dataclass(frozen=True, slots=True)
class FormRow:
    """The row of a value in the item's form. Texts are English, and translated by the window.

    The row is shown only while the choice field `only_for[0]` has the value `only_for[1]`. Rare rows are shown on
    request.
    """

    title: str
    help: str = ""
    hint: str = ""  # shown in the empty control
    kind: FieldKind = FieldKind.TEXT
    choices: Callable[[], tuple[tuple[str, str], ...]] = tuple  # value and title of each
    separator: str = ""  # between the name and the value of PAIRS: "=" or ":"
    problem: str = ""  # shown when the value is invalid; of PAIRS, "{0}" is the invalid line
    is_required: bool = False
    is_rare: bool = False
    only_for: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class ItemField:
    """One value of an item. `attribute` is its name in the domain's value; "" for the key itself.

    `read` receives the value in the file, the key, and the item in words; it returns the domain's value or raises
    ItemError. `write` is its inverse. The values "", [] and {} are not written to the file.

    A value without a `row` is edited only in the file.
    """

    key: str
    read: Callable[[Any, str, str], Any]
    attribute: str = ""
    write: Callable[[Any], Any] = lambda value: value
    row: FormRow | None = None

    def shown(self, row: FormRow) -> ItemField:
        """Return the field with a row in the form."""
        return replace(self, row=row)

    @property
    def name(self) -> str:
        """The name of the attribute in the domain's value."""
        return self.attribute or self.key


@dataclass(frozen=True, slots=True)
class ItemKind(Generic[T]):
    """One kind of item. `make` receives the values of the keys present in the file, and may raise ItemError.

    `called` is the kind in words. `name` is the pattern of valid names, or None for items without a name;
    `name_words` describes the pattern. `form` contains the keys of the first rows of the form, in their order.
    `extra_rows` has the rows by key that are no fields of the table.
    """

    section: str
    make: Callable[..., T]
    fields: tuple[ItemField, ...]
    called: str = ""
    name: re.Pattern[str] | None = None
    name_words: str = ""
    form: tuple[str, ...] = ()
    extra_rows: Mapping[str, FormRow] = field(default_factory=dict)

    @property
    def rows(self) -> dict[str, FormRow]:
        """The rows of the form by key, in their order; fields that `form` does not name are the last."""
        shown = {each.key: each.row for each in self.fields if each.row is not None} | dict(self.extra_rows)
        return {key: shown[key] for key in dict.fromkeys((*self.form, *shown))}

    def read(self, item: object) -> T:
        """Return the value of an item. Raises ItemError."""
        facts = _table(item, self.section, [*self._named, *self._keys])
        if self.name is None:
            return self.make(**self._values(facts, self.section))
        name = facts.get("name")
        if not isinstance(name, str) or len(name) > LONGEST_NAME or not self.name.fullmatch(name):
            raise ItemError(f"{self.section}: an item needs {self.name_words}", "name")
        return self.make(name=name, **self._values(facts, f"{self.called} “{name}”"))

    def read_as(self, name: str, item: object) -> T:
        """Return the value of an item whose name is the key of its table. Raises ItemError."""
        where = f"{self.called} “{name}”"
        return self.make(name, **self._values(_table(item, where, self._keys), where))

    def table(self, value: T) -> dict[str, Any]:
        """Return the value as a table of the file."""
        facts = {each.key: each.write(getattr(value, each.name)) for each in self.fields}
        return {key: getattr(value, key) for key in self._named} | facts

    @property
    def _named(self) -> list[str]:
        """The key of the name, when items have one."""
        return ["name"] if self.name else []

    @property
    def _keys(self) -> list[str]:
        return [each.key for each in self.fields]

    def _values(self, facts: Mapping[str, Any], where: str) -> dict[str, Any]:
        there = [each for each in self.fields if each.key in facts]
        return {each.name: each.read(facts[each.key], each.key, where) for each in there}


def _table(item: object, where: str, known: Iterable[str]) -> Mapping[str, Any]:
    if not isinstance(item, Mapping):
        raise ItemError(f"{where}: an item is not a table")
    for key in item:
        if key not in known:
            raise ItemError(f"{where}: unknown key “{key}”; valid keys: {', '.join(known)}", key)
    return item


# -- kinds of fields ------------------------------------------------------------------------------------------


def _text(key: str, check: Check | None = None, *, needed: bool = False) -> ItemField:
    """Declare a text. `check` validates texts that are not empty; with `needed`, empty texts too."""

    def read(value: Any, key: str, where: str) -> str:
        if not isinstance(value, str) or len(value) > LONGEST or "\0" in value:
            raise ItemError(f"{where}: {key} must be a text", key)
        if check is not None and (value or needed):
            check(value, key, where)
        return value

    return ItemField(key, read)


def _texts(key: str, words: str, each: Callable[[str], str] = str) -> ItemField:
    """Declare a list of texts. `each` converts every text; a text that becomes empty is invalid."""

    def read(value: Any, key: str, where: str) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise ItemError(f"{where}: {key} must be {words}", key)
        found = tuple(map(each, value))
        if each is not str and not all(found):
            raise ItemError(f"{where}: {key} must be {words}", key)
        return found

    return ItemField(key, read, write=list)


def _number(key: str, attribute: str, takes: Callable[[Any], bool], words: str, scale: int = 1) -> ItemField:
    """Declare an optional number. The domain's value is `scale` times the file's value."""

    def read(value: Any, key: str, where: str) -> int:
        if isinstance(value, bool) or not takes(value):
            raise ItemError(f"{where}: {key} must be {words}", key)
        number: int = round(value * scale)
        return number

    def write(value: int | None) -> int | float | str:
        return "" if value is None else value if scale == 1 else value / scale

    return ItemField(key, read, attribute, write)


def _size(key: str, row: FormRow) -> ItemField:
    problem = "Enter a whole number of tokens, such as 200000 or 200k."
    return _number(
        key, key, lambda value: isinstance(value, int) and 0 < value <= 10**9, "a whole number of tokens"
    ).shown(replace(row, kind=FieldKind.TOKENS, problem=problem))


def _price(key: str, title: str) -> ItemField:
    """Declare a price in dollars per million tokens; the domain's value is in millionths of a dollar."""
    words = "dollars per million tokens"
    row = FormRow(
        title,
        "Dollars per million tokens, such as 2.5.",
        kind=FieldKind.DOLLARS,
        problem="Enter dollars per million tokens, such as 2.5.",
    )
    return _number(
        key, f"{key}_price", lambda value: isinstance(value, int | float) and 0 <= value < 1e6, words, MILLION
    ).shown(row)


def _headers(*, may_stand_in: bool) -> ItemField:
    """Declare headers, which must not contain keys.

    With `may_stand_in`, a header may contain a placeholder for a key.
    """

    def read(value: Any, key: str, where: str) -> dict[str, str]:
        if not isinstance(value, Mapping):
            raise ItemError(f"{where}: headers must be a table", key)
        for name, text in value.items():
            is_text = isinstance(text, str) and text.isprintable() and text.isascii()
            if not is_text or not _HEADER.fullmatch(name):
                raise ItemError(f"{where}: “{name}” is not a valid header", key)
            if name.lower() in _KEYED and not (may_stand_in and _STAND_IN.search(text)):
                way = "write ${key} or ${env:NAME} instead" if may_stand_in else "enter it as the connection’s key"
                raise ItemError(f"{where}: {name} must not contain a key; {way}", key)
        return {str(name): str(text) for name, text in value.items()}

    return ItemField("headers", read, write=dict)


def _environment(value: Any, key: str, where: str) -> dict[str, str]:
    if not isinstance(value, Mapping) or not all(isinstance(text, str) for text in value.values()):
        raise ItemError(f"{where}: {key} must be a table of texts", key)
    return dict(value)


def _check_api(api: str, key: str, where: str) -> None:
    if not api:
        raise ItemError(f"{where}: api is empty", key)
    if api not in API_NAMES:
        raise ItemError(f"{where}: api must be one of " + ", ".join(f'"{name}"' for name in API_NAMES), key)


def _api_choices() -> tuple[tuple[str, str], ...]:
    return tuple((api.name, api.title) for api in APIS)


def _check_variable(name: str, key: str, where: str) -> None:
    if not _VARIABLE.fullmatch(name):
        raise ItemError(f"{where}: variable must be the name of an environment variable, never a key", key)


def _check_url(url: str, key: str, where: str) -> None:

    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good:
        raise ItemError(f"{where}: {key} must be an address that starts with http:// or https://", key)
    if parts.password:
        raise ItemError(
            f"{where}: {key} must not contain a password; for a proxy, set HTTPS_PROXY in the environment instead",
            key,
        )


# -- the items ------------------------------------------------------------------------------------------------


def _connection(headers: Mapping[str, str] | None = None, **texts: str) -> Connection:
    return Connection(headers=tuple((headers or {}).items()), **texts)


def _server(**values: Any) -> ToolServer:
    server = ToolServer(**values)
    where = f"server “{server.name}”"
    if bool(server.command) == bool(server.url):
        raise ItemError(f"{where}: set either command or url")
    if server.headers and not server.url:
        raise ItemError(f"{where}: headers require url", "headers")
    if server.folder and server.url:
        raise ItemError(f"{where}: folder requires command", "folder")
    return server


def _consent(origin: str = "", tool: str = "", folder: str = "", may: str = "") -> KeptConsent:
    if not origin or not tool:
        raise ItemError("consents: an item needs origin and tool")
    if may not in ANSWERS:
        raise ItemError(
            f"consents: answer for “{tool}” must be " + " or ".join(map('"{}"'.format, ANSWERS)), "answer"
        )
    return KeptConsent(origin, tool, folder, may == ANSWERS[0])


def _model(id: str, **values: Any) -> Model:
    return Model(id.lower(), **values)


_ADDRESS_PROBLEM = "Enter an address that begins with http:// or https://."
_STAND_INS = "${key} stands for the key below, ${env:NAME} for a variable of the environment Stemmata was started in."
PROGRAM, ADDRESS = ("kind", "program"), ("kind", "address")

CONNECTIONS = ItemKind(
    "connections",
    _connection,
    (
        _text("api", _check_api, needed=True).shown(FormRow("API", kind=FieldKind.CHOICE, choices=_api_choices)),
        _text("base_url", _check_url, needed=True).shown(
            FormRow("Address", problem=_ADDRESS_PROBLEM, is_required=True)
        ),
        _text("model").shown(FormRow("Model", hint="The first model that the server offers")),
        _text("variable", _check_variable).shown(
            FormRow(
                "Environment variable",
                hint="Name of the variable that holds the key",
                problem="Enter the name of an environment variable, never a key.",
                is_rare=True,
            )
        ),
        _text("proxy", _check_url).shown(
            FormRow("Proxy", hint="HTTPS_PROXY of the environment", problem=_ADDRESS_PROBLEM, is_rare=True)
        ),
        _text("ca_file").shown(FormRow("Certificates", hint="A PEM file, instead of the system’s", is_rare=True)),
        _headers(may_stand_in=False),
    ),
    called="connection",
    name=_NAME,
    name_words="a name without “/”",
    form=("name", "base_url", "api", "key"),
    extra_rows={
        "name": FormRow("Name", problem="Enter a name without “/”, of at most 64 characters."),
        "key": FormRow("Key", kind=FieldKind.HIDDEN),
    },
)
SERVERS = ItemKind(
    "servers",
    _server,
    (
        _text("command").shown(
            FormRow(
                "Program",
                "The program is started directly, without a shell.",
                "mcp-files",
                is_required=True,
                only_for=PROGRAM,
            )
        ),
        _texts("args", "a list of texts").shown(
            FormRow("Arguments", "Enter one argument per line.", kind=FieldKind.LINES, only_for=PROGRAM)
        ),
        ItemField("env", _environment, write=dict).shown(
            FormRow(
                "Environment",
                "NAME=value, one per line. " + _STAND_INS,
                kind=FieldKind.PAIRS,
                separator="=",
                problem="“{0}” is not of the form NAME=value.",
                only_for=PROGRAM,
            )
        ),
        _text("folder").shown(
            FormRow(
                "Folder", "Folder in which it runs; empty for the folder in which Stemmata runs.", only_for=PROGRAM
            )
        ),
        _text("url", _check_url).shown(
            FormRow(
                "Address",
                "Address that begins with http:// or https://.",
                "https://mcp.example/mcp",
                problem=_ADDRESS_PROBLEM,
                is_required=True,
                only_for=ADDRESS,
            )
        ),
        _headers(may_stand_in=True).shown(
            FormRow(
                "Headers",
                "Name: value, one per line. " + _STAND_INS,
                kind=FieldKind.PAIRS,
                separator=":",
                problem="“{0}” is not of the form Name: value.",
                only_for=ADDRESS,
            )
        ),
    ),
    called="server",
    name=_SERVER_NAME,
    name_words="a name of letters, digits, “_” and “-”, at most 32",
    form=("name", "kind"),
    extra_rows={
        "name": FormRow(
            "Name",
            "Name of the server; the names of its tools begin with it. Letters, digits, “_” and “-”.",
            problem="Enter at most 32 letters, digits, “_” and “-”.",
            is_required=True,
        ),
        "kind": FormRow(
            "Type",
            kind=FieldKind.CHOICE,
            choices=lambda: (
                (PROGRAM[1], "A program on this machine"),
                (ADDRESS[1], "An address on the network"),
            ),
        ),
        "key": FormRow(
            "Key",
            "Stored in the keyring of the system, for this address only. No file contains it.",
            "Replaces the stored key",
            kind=FieldKind.HIDDEN,
        ),
    },
)
CONSENTS = ItemKind(
    "consents",
    _consent,
    (
        _text("origin"),
        _text("tool"),
        _text("folder"),
        ItemField("answer", _text("answer").read, "may", lambda may: ANSWERS[0] if may else ANSWERS[1]),
    ),
)
MODELS = ItemKind(
    "models",
    _model,
    (
        _size("window", FormRow("Window", "Tokens, such as 200000 or 200k.")),
        _size("most_output", FormRow("Maximum reply length", "Maximum length of a reply, in tokens.")),
        _price("input", "Input"),
        _price("output", "Output"),
        _price("cache_read", "Read from the cache"),
        _price("cache_write", "Written to the cache"),
        _texts("aliases", "a list of names", lambda alias: alias.strip().lower()).shown(
            FormRow(
                "Other names", "Other ids under which servers list this model, one per line.", kind=FieldKind.LINES
            )
        ),
    ),
    called="model",
    form=("id",),
    extra_rows={
        "id": FormRow("Model", "The model’s id on its server; ids that begin with it are included.", is_required=True)
    },
)
LISTED: Mapping[str, ItemKind[Any]] = {item.section: item for item in (CONNECTIONS, SERVERS, CONSENTS)}


def name_in(item: object) -> str:
    """Return the item's name, or ""."""
    name = item.get("name") if isinstance(item, Mapping) else None
    return str(name) if isinstance(name, str) else ""
