"""Contents that are hard to show: generated, always the same, none of them made up to be fair."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from random import Random

from stemmata.domain.entries.blocks import Block, Text, ToolCall

KB, MB = 1_000, 1_000_000


@dataclass(frozen=True, slots=True)
class Torture:
    """`text` is what a model says or a tool prints; `call` the arguments of a tool as JSON, "" for none.

    With `result` the text is what came back from that tool. `images` are the bytes of pictures.
    """

    name: str
    text: str = ""
    call: str = ""
    tool: str = "bash"
    result: bool = False
    images: tuple[bytes, ...] = ()

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Return the blocks of the reply itself."""
        out: tuple[Block, ...] = () if self.result else (Text(self.text),) if self.text else ()
        return (*out, ToolCall("t1", self.tool, self.call)) if self.call else out

    @property
    def streamed(self) -> str:
        """Return the pieces of the streamed reply."""
        return self.text or self.call


def tortures(scale: float = 1.0, names: Collection[str] = ()) -> Iterator[Torture]:
    """All of them, or those that are named; `scale` makes them shorter."""

    def size(characters: int) -> int:
        return max(int(characters * scale), 50)

    wanted = names or (*TEXTS, *TOOLS, *IMAGES)
    for name in wanted:
        if name in TEXTS:
            yield Torture(name, TEXTS[name](size))
        elif name in TOOLS:
            yield TOOLS[name](name, size)
        else:
            width, height, count = IMAGES[name]
            sizes = max(int(width * scale), 20), max(int(height * scale), 20)
            yield Torture(name, "Look:", images=tuple(picture(*sizes, at) for at in range(count)))


Size = Callable[[int], int]


def _json(size: Size) -> str:
    items = [{"id": at, "name": f"item-{at}", "tags": ["a", "b"], "on": at % 2 == 0} for at in range(size(1_500))]
    return json.dumps(items, separators=(",", ":"))


def _base64(size: int) -> str:
    return base64.b64encode(Random(1).randbytes(size * 3 // 4)).decode()


def _script(size: int) -> str:
    part = 'function a(b,c){return b&&c?b.map(d=>d*c):[]}var e={f:"g",h:[1,2,3]};'
    return (part * (size // len(part) + 1))[:size]


def _sheet(size: int) -> str:
    part = ".a>b:hover,c[d^=e]{color:#fff;margin:0 auto!important}"
    return (part * (size // len(part) + 1))[:size]


def _fill(part: str, size: int) -> str:
    return (part * (size // len(part) + 1))[:size]


def _table_rows(size: Size) -> str:
    rows = "\n".join(f"| {at} | value {at} | {at * 7} |" for at in range(size(100_000)))
    return f"| a | b | c |\n|---|---|---|\n{rows}\n"


def _table_columns(size: Size) -> str:
    count = size(100_000)
    return f"{'|a' * count}|\n{'|-' * count}|\n{'|1' * count}|\n"


def _nested_lists(size: Size) -> str:
    return "\n".join(f"{'  ' * min(at, 400)}- level {at}" for at in range(size(2_000)))


def _zalgo(size: Size) -> str:
    marks = "".join(chr(0x300 + at) for at in range(100))
    return "".join(letter + marks for letter in _fill("hezalgocomes", size(2_000)))


def _bidi(size: Size) -> str:
    part = "\u202eabc \u2067שלום\u2069 \u200f123\u200e \u202dxyz\u202c \u202bعربي\u202c "
    return _fill(part, size(200 * KB))


def _links(size: Size) -> str:
    return " ".join(f"[link {at}](https://example.org/{at}?q={at})" for at in range(size(5_000)))


def _addresses(size: Size) -> str:
    return " ".join(f"<https://example.org/{'a' * 4_000}/{at}>" for at in range(max(size(50) // 1, 3)))


def _fences(size: Size) -> str:
    return "\n".join(f"```python\nx = {at}\n```\n" for at in range(size(3_000)))


def _html(size: Size) -> str:
    part = "<div class='a'><table><tr><td style=\"color:red\">&nbsp;<b>bold</b></td></tr></table></div>\n"
    return _fill(part, size(500 * KB))


def _math(size: Size) -> str:
    return (
        "$$\\begin{align}\n"
        + _fill("\\frac{a_{1}^{2}}{\\sqrt{b}} &= \\sum_{i=0}^{n} x_i \\\\ ", size(200 * KB))
        + "$$"
    )


def _emphasis(size: Size) -> str:
    return _fill("*a **b _c __d ", size(100 * KB))


def _brackets(size: Size) -> str:
    half = size(50_000)
    return "[" * half + "a" + "](" * half


def _small_table(_size: Size) -> str:
    """Return a table that is shorter than the limit for rendering at once, so its size is constant."""
    rows = "".join(f"| {at} | {at} | {at} |\n" for at in range(150))
    return f"| a | b | c |\n|---|---|---|\n{rows}"


def _mixed_code(size: Size) -> str:
    lines = "\n".join(
        f"    value_{at} = compute(value_{at - 1}, name={at!r})  # step {at}" for at in range(size(30_000))
    )
    return f"```python\ndef work():\n{lines}\n```\n"


TEXTS: dict[str, Callable[[Size], str]] = {
    "minified JSON, 90 kB": _json,
    "a word of 300 kB": lambda size: "x" * size(300 * KB),
    "base64, 1 MB": lambda size: _base64(size(MB)),
    "minified JavaScript, 1 MB": lambda size: _script(size(MB)),
    "minified CSS in a fence, 1 MB": lambda size: f"```css\n{_sheet(size(MB))}\n```\n",
    "one line of 10 MB": lambda size: _fill("lorem ipsum dolor ", size(10 * MB)),
    "one word of 10 MB": lambda size: "y" * size(10 * MB),
    "table of 100,000 columns": _table_columns,
    "table of 100,000 rows": _table_rows,
    "a small table of 150 rows": _small_table,
    "lists 400 deep": _nested_lists,
    "quotes 10,000 deep": lambda size: ">" * size(10_000) + " deep",
    "brackets 50,000 deep": _brackets,
    "closing brackets": lambda size: "](" * size(25_000),
    "combining marks": _zalgo,
    "right-to-left and overrides": _bidi,
    "emoji with joiners": lambda size: _fill("👩‍👩‍👧‍👦🏳️‍🌈👩🏽‍🚀", size(100 * KB)),
    "5,000 links": _links,
    "long addresses": _addresses,
    "3,000 fences": _fences,
    "a fence that never ends": lambda size: "```\n" + _fill("some line of code;\n", size(500 * KB)),
    "fences in a row": lambda size: "```\n" * size(50_000),
    "** × 100,000": lambda size: "**" * size(100_000),
    "backticks × 100,000": lambda size: "`" * size(100_000),
    "backticks of all lengths": lambda size: " ".join("`" * (at % 300 + 1) for at in range(size(2_000))),
    "emphasis that never ends": _emphasis,
    "tabs": lambda size: "\t" * size(100_000),
    "tabs between words": lambda size: _fill("a\tb\t", size(200 * KB)),
    "NUL": lambda size: _fill("a\0b", size(100 * KB)),
    "lone surrogates": lambda size: _fill("a\ud800b\udfff ", size(100 * KB)),
    "a million newlines": lambda size: "\n" * size(MB),
    "a million short lines": lambda size: "a\n" * size(MB),
    "Chinese without spaces": lambda size: _fill("混沌初開乾坤始奠氣之輕清上浮者為天", size(300 * KB)),
    "huge HTML": _html,
    "huge math": _math,
    "code of 30,000 lines": _mixed_code,
    "headings": lambda size: _fill("# heading\n", size(300 * KB)),
    "rules": lambda size: _fill("---\n\n", size(100 * KB)),
    "prose of 1 MB": lambda size: _fill("The **quick** brown fox jumps over `the lazy dog`.\n\n", size(MB)),
    "lazy quotes": lambda size: "> " + _fill("a line that goes on\n", size(300 * KB)),
    "references": lambda size: (
        "\n".join(f"[r{at}]: https://example.org/{at}" for at in range(size(5_000))) + "\n\n[r1]"
    ),
    "spaces": lambda size: " " * size(300 * KB) + "end",
    "other line ends": lambda size: _fill("a\u2028b\u2029c\x0bd\x0c", size(100 * KB)),
}


def _diff(name: str, size: Size) -> Torture:
    old = "\n".join(f"line {at} with some old words" for at in range(size(17_000)))
    new = "\n".join(f"line {at} with some new words" for at in range(size(17_000)))
    return Torture(
        name, "Done.", json.dumps({"file_path": "a.py", "old_string": old, "new_string": new}), "Edit", True
    )


def _one_line_diff(name: str, size: Size) -> Torture:
    old, new = _json(lambda count: size(count * 3)), _json(lambda count: size(count * 3)).replace("item", "part")
    return Torture(
        name, "Done.", json.dumps({"file_path": "a.js", "old_string": old, "new_string": new}), "Edit", True
    )


TOOLS: dict[str, Callable[[str, Size], Torture]] = {
    "a difference of 1 MB": _diff,
    "a difference of one long line": _one_line_diff,
    "tool input of 2 MB": lambda name, size: Torture(
        name, "Done.", json.dumps({"items": json.loads(_json(lambda count: size(count * 20)))}), "push", True
    ),
    "nested tool input": lambda name, size: Torture(
        name, "Done.", '{"a":' * size(50_000) + "1" + "}" * size(50_000), "push", True
    ),
    "a file of 1 MB written": lambda name, size: Torture(
        name, "Done.", json.dumps({"file_path": "a.py", "content": _mixed_code(size)}), "Write", True
    ),
    "a file of one line written": lambda name, size: Torture(
        name, "Done.", json.dumps({"file_path": "a.min.js", "content": _script(size(MB))}), "Write", True
    ),
    "output with colours, 1 MB": lambda name, size: Torture(
        name, _fill("\x1b[31mred\x1b[0m \x1b[1;32mok\x1b[0m done\n", size(MB)), '{"command":"make"}', "bash", True
    ),
    "output of one line": lambda name, size: Torture(name, _script(size(MB)), '{"command":"cat"}', "bash", True),
    "output of a million lines": lambda name, size: Torture(
        name, "a\n" * size(MB), '{"command":"yes"}', "bash", True
    ),
}


IMAGES = {"one image of 4000 × 3000": (4000, 3000, 1), "40 images": (1200, 800, 40)}  # width, height, how many


def picture(width: int, height: int, seed: int) -> bytes:
    """A PNG of noise in stripes."""
    random = Random(seed)
    rows = [b"\0" + random.randbytes(width * 3) for _ in range(16)]
    data = zlib.compress(b"".join(rows[at % 16] for at in range(height)), 1)

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
