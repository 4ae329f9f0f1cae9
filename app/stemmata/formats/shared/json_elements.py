"""Split a JSON array into its elements while it streams, and find the places of values inside an element.

Only brackets and strings are looked at, so that of elements that are not valid JSON only these are lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field

from stemmata.domain.errors import UnreadableSourceError
from stemmata.domain.text.phrases import Phrase

DEEPEST = 100_000  # brackets inside each other; nothing that is nested so deep can be read
ELEMENT_LIMIT = 128 << 20  # bytes; a conversation is parsed as a whole
QUOTED = rb'[^"\\]*(?:\\.[^"\\]*)*+(")?'  # the rest of a string, with its end if it is there
_OUTSIDE = re.compile(rb'[\[\]{}]|"' + QUOTED, re.DOTALL)
_INSIDE = re.compile(QUOTED, re.DOTALL)
KEY = re.compile(rb"\s*:")  # stands behind a key
_SURROGATE = re.compile("[\ud800-\udfff]")
_OPEN = frozenset((ord("["), ord("{")))
_BRACKETS = frozenset(b"[]{}")


@dataclass(frozen=True, slots=True)
class Element:
    """The bytes of one object or array of the outermost array, or of a value outside of an array.

    `number` counts from 1. `data` is None when the element is larger than the limit. An element that is not `whole`
    ends with the file.
    """

    number: int
    data: bytes | None
    whole: bool = True


class ElementSplitter:
    """Split a stream of bytes. Memory is bounded by a chunk and the largest element, at most the limit.

    An outermost object whose beginning matches `wrapper` is no element: its values, and those in its arrays, are.
    """

    def __init__(self, limit: int = ELEMENT_LIMIT, wrapper: re.Pattern[bytes] | None = None) -> None:
        self._limit = limit
        self._wrapper = wrapper
        self._is_wrapped = False
        self._depth = 0
        self._outer = 0  # brackets around the elements: 1 in an array, 0 for objects that stand alone
        self._in_string = False
        self._escaped = False  # the next byte belongs to an escape
        self._parts: list[bytes] = []
        self._size = 0
        self.count = 0  # elements so far

    @property
    def is_list_open(self) -> bool:
        """Whether the stream, so far, ends behind an element of an array, which still lacks its end."""
        return self._depth == self._outer > 0

    def feed(self, chunk: bytes) -> Iterator[Element]:
        """Yield the elements that this chunk completes. Raises UnreadableSourceError when nested too deep."""
        start = 0 if self._is_inside else -1
        for at, opens in self._brackets(chunk):
            if opens:
                if self._depth == self._outer and self._is_around(chunk, at):
                    self._outer += 1
                elif self._depth == self._outer:
                    start = at
                self._depth += 1
                if self._depth > DEEPEST:
                    raise UnreadableSourceError(
                        Phrase("A conversation is nested too deep. The rest of the file is not read.")
                    )
            elif self._depth:
                self._depth -= 1
                if start >= 0 and self._depth == self._outer:
                    self._add(chunk[start : at + 1])
                    yield self._element(whole=True)
                    start = -1
                self._outer = min(self._outer, self._depth)
        if start >= 0:
            self._add(chunk[start:])

    def finish(self) -> Iterator[Element]:
        """Yield the element that the end of the stream cut."""
        if self._is_inside:
            yield self._element(whole=False)

    @property
    def _is_inside(self) -> bool:
        return self._depth > self._outer

    def _is_around(self, chunk: bytes, at: int) -> bool:
        """Return whether a bracket that opens outside of elements is around elements."""
        if chunk[at] == ord("["):
            return self._depth == 0 or (self._depth == 1 and self._is_wrapped)
        if self._depth == 0:
            self._is_wrapped = self._wrapper is not None and self._wrapper.match(chunk, at) is not None
        return self._depth == 0 and self._is_wrapped

    def _brackets(self, chunk: bytes) -> Iterator[tuple[int, bool]]:
        """Yield the positions of brackets outside strings, and whether they open."""
        at = 0
        if self._in_string:
            at = self._string(chunk, _INSIDE.match(chunk, int(self._escaped)))
        while not self._in_string and (found := _OUTSIDE.search(chunk, at)):
            first = chunk[found.start()]
            if first in _BRACKETS:
                at = found.end()
                yield found.start(), first in _OPEN
            else:
                at = self._string(chunk, found)

    def _string(self, chunk: bytes, found: re.Match[bytes] | None) -> int:
        """Take the rest of a string and return where it ends."""
        assert found is not None  # the pattern matches nothing, too
        self._in_string = found[1] is None
        self._escaped = self._in_string and found.end() < len(chunk)
        return found.end()

    def _add(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._limit:
            self._parts.clear()
        else:
            self._parts.append(part)

    def _element(self, *, whole: bool) -> Element:
        self.count += 1
        data = b"".join(self._parts) if self._size <= self._limit else None
        self._parts, self._size = [], 0
        return Element(self.count, data, whole)


def elements(chunks: Iterable[bytes], limit: int = ELEMENT_LIMIT) -> Iterator[Element]:
    """Yield the elements of a JSON array, or consecutive objects outside of an array, one after the other."""
    splitter = ElementSplitter(limit)
    for chunk in chunks:
        yield from splitter.feed(chunk)
    yield from splitter.finish()


def element_keys(head: bytes, among: Iterable[str]) -> set[str]:
    """Return which of these keys the elements in the beginning of a document have; only objects have keys.

    Most files have none of them anywhere, so this is looked at first. A key with escapes is not found.
    """
    quoted = {f'"{key}"'.encode(): key for key in among}
    wanted = {one for one in quoted if one in head}
    keys: set[str] = set()
    depth, outer = 0, 0
    for found in _OUTSIDE.finditer(head) if wanted else ():
        first = head[found.start()]
        if first in _OPEN:
            outer = int(first == ord("[")) if depth == 0 else outer
            depth += 1
        elif first in _BRACKETS:
            depth = max(0, depth - 1)
        elif depth == outer + 1 and found[0] in wanted and KEY.match(head, found.end()):
            keys.add(quoted[found[0]])
            if len(keys) == len(wanted):
                break
    return keys


def places(data: bytes, key: str) -> dict[str | int, tuple[int, int]]:
    """Return offset and size of each object inside the value of an object's key.

    They are listed by their key when the value is an object, and by their number among the objects (from 0) when it
    is an array. Of a key that is repeated, the last object is returned, as JSON is read.
    """
    return {name: place for _, name, place in _listed(data, key)}


def hidden_places(data: bytes, key: str) -> list[tuple[str | int, tuple[int, int]]]:
    """Return key, offset and size of each object that `places` would list, if its key were not repeated behind it.

    The objects of an earlier value of `key` itself are among them.
    """
    found = list(_listed(data, key))
    last = found[-1][0] if found else 0
    read = {name: place for value, name, place in found if value == last}
    return [(name, place) for value, name, place in found if value != last or read[name] != place]


def _listed(data: bytes, key: str) -> Iterator[tuple[int, str | int, tuple[int, int]]]:
    """Yield the objects that `places` lists, each with the number of the value that it is in."""
    depth, start, count, value = 0, 0, 0, 0
    last: list[bytes] = [b"", b""]  # the latest keys at the two upper levels
    within = False  # the value of the key
    for found in _OUTSIDE.finditer(data):
        at = found.start()
        first = data[at]
        if first in _OPEN:
            if depth == 1:
                within = quoted_text(last[0]) == key
                value += within
                count = 0
                last[1] = b"" if first == ord("{") else b"["
            elif depth == 2:
                start = at
            depth += 1
        elif first in _BRACKETS:
            depth -= 1
            if within and depth == 2 and first == ord("}"):
                yield value, count if last[1] == b"[" else quoted_text(last[1]), (start, found.end() - start)
                count += 1
        elif 1 <= depth <= 2 and KEY.match(data, found.end()):
            last[depth - 1] = found[0]


def quoted_text(quoted: bytes) -> str:
    """Return the text of a JSON string, with U+FFFD for lone surrogates; "" for a damaged one."""
    try:
        return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", str(json.loads(quoted.decode("utf-8", "replace"))))
    except ValueError:
        return ""


@dataclass(slots=True)
class Nested:
    """An object in a tree of objects.

    `parent` is the number of the enclosing element, in the order of their beginnings. `lists` are the places of the
    lists with the objects below it, from bracket to behind the bracket.
    """

    parent: int | None
    start: int
    end: int
    lists: list[tuple[int, int]] = field(default_factory=list)

    @property
    def head(self) -> int:
        """The place at which the objects below it begin; without any, its end."""
        return self.lists[0][0] if self.lists else self.end

    def own(self, data: bytes) -> bytes:
        """Return the bytes of the object, with an empty list in place of each list of objects below it."""
        parts, at = [], self.start
        for start, end in self.lists:
            parts.append(data[at:start] + b"[]")
            at = end
        return b"".join((*parts, data[at : self.end]))


_ROOT = -1  # value of `_Frame.node` for the outermost object


@dataclass(slots=True)
class _Frame:
    """An open bracket. `node`: number of the object that it opens, or to which the list that it opens belongs."""

    start: int
    node: int | None
    is_list: bool
    key: str = ""  # the latest key in it


def nested_objects(data: bytes, outer: Set[str], inner: Set[str]) -> tuple[bytes, list[Nested]]:
    """Return an object without its lists of objects, and these objects, those below them included.

    The lists are the values of the `outer` keys in the object itself, and of the `inner` keys in the listed objects.
    A single object in place of a list counts as a list, a list in a list as a part of it. A text in a list is listed
    like an object. Nothing is recursive, so the tree may be as deep as it is.
    """
    root, found, open_ = Nested(None, 0, len(data)), list[Nested](), list[_Frame]()
    for token in _OUTSIDE.finditer(data):
        at, first = token.start(), data[token.start()]
        if first in _OPEN:
            open_.append(_opened(at, open_, outer, inner, found, is_list=first == ord("[")))
        elif first not in _BRACKETS:
            above = open_[-1] if open_ else None
            if above is None or above.node is None:
                continue
            if above.is_list:
                found.append(Nested(None if above.node == _ROOT else above.node, at, token.end()))
            elif KEY.match(data, token.end()):
                above.key = quoted_text(token[0])
        elif open_:
            _closed(token.end(), open_, root, found)
    return root.own(data), found


def _closed(end: int, open_: list[_Frame], root: Nested, found: list[Nested]) -> None:
    frame = open_.pop()
    if frame.node is None:
        return
    if frame.is_list:
        owner = frame
        if open_[-1].is_list:
            return
    elif frame.node == _ROOT:
        return
    else:
        found[frame.node].end = end
        owner = open_[-1]
        if owner.is_list:
            return
    one = root if owner.node == _ROOT or owner.node is None else found[owner.node]
    one.lists.append((frame.start, end))


def _opened(
    at: int, open_: list[_Frame], outer: Set[str], inner: Set[str], found: list[Nested], *, is_list: bool
) -> _Frame:
    if not open_:
        return _Frame(at, None if is_list else _ROOT, is_list)
    above = open_[-1]
    if above.node is None:
        return _Frame(at, None, is_list)
    if not above.is_list and above.key not in (outer if above.node == _ROOT else inner):
        return _Frame(at, None, is_list)
    if is_list:
        return _Frame(at, above.node, is_list)
    found.append(Nested(None if above.node == _ROOT else above.node, at, at))
    return _Frame(at, len(found) - 1, is_list)
