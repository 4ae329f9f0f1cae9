"""The documentation as HTML: built into packages, and in a checkout when it is first shown."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from stemmata.assets import resource
from stemmata.domain.errors import KnownError
from stemmata.domain.text.phrases import Phrase
from stemmata.version import version_text

if TYPE_CHECKING:
    from markdown_it.token import Token

# The pages in the order of the list at their side, each with its title there.
PAGES = {
    "guide": "Guide",
    "installation": "Installation",
    "automatic-compaction": "Automatic compaction",
    "command-line": "Command line",
    "settings": "Settings",
    "words": "Words",
    "changelog": "What’s new",
}
PICTURE = re.compile(r"\]\((images/[\w-]+\.png)\)")
STYLE = """
:root { color-scheme: light dark; --edge: #8884; --soft: #8882; --link: light-dark(#1d5fd1, #7fb0ff); }
body { margin: 0 auto; max-width: 72rem; display: flex; gap: 2.5rem; padding: 1.5rem; }
body { font: 16px/1.55 system-ui, sans-serif; }
nav { flex: 0 0 12rem; position: sticky; top: 1.5rem; align-self: flex-start; }
nav a { display: block; padding: .15rem 0; }
nav .here { font-weight: 600; }
nav p { opacity: .65; font-size: .85rem; }
main { min-width: 0; flex: 1; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
img { max-width: 100%; border: 1px solid var(--edge); border-radius: 8px; }
code, pre { font: .92em ui-monospace, monospace; background: var(--soft); border-radius: 4px; }
code { padding: .1em .3em; }
pre { padding: .8rem 1rem; overflow-x: auto; }
pre code { background: none; padding: 0; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--edge); padding: .3rem .6rem; text-align: left; vertical-align: top; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; } }
@media print { nav { display: none; } }
"""


class Guide:
    """The pages below `cache`, or those of the package. `docs` is the folder of their sources in a checkout."""

    def __init__(self, cache: Path, docs: Path | None = None) -> None:
        self._cache = cache
        self._built = resource("docs")
        self._docs = docs or Path(__file__).parents[3] / "docs"

    def page(self, name: str) -> Path:
        """Return the HTML file of a page. Raises KnownError when neither the page nor its source exists."""
        if (self._built / f"{name}.html").exists():
            return self._built / f"{name}.html"
        if not (self._docs / "guide.md").exists():
            raise KnownError(Phrase("This installation contains no guide."))
        try:
            build_pages(self._docs, self._cache, version_text(), pictures=self._docs)
        except OSError as error:
            raise KnownError(Phrase("Could not write the guide to {0}: {1}.", self._cache, error.strerror)) from error
        return self._cache / f"{name}.html"


def build_pages(docs: Path, to: Path, version: str, *, pictures: Path | None = None) -> None:
    """Write all pages to a folder. With `pictures`, they show the pictures of that folder in place of copies."""
    to.mkdir(parents=True, exist_ok=True)
    for name in PAGES:
        text = source_of(docs, name).read_text(encoding="utf-8")
        (to / f"{name}.html").write_text(page_html(name, text, version, pictures), encoding="utf-8")


def source_of(docs: Path, name: str) -> Path:
    """Return the Markdown file of a page; the changelog is one of the resources."""
    return resource("changelog.md") if name == "changelog" else docs / f"{name}.md"


def pictures_of(docs: Path) -> list[str]:
    """Return the pictures that the pages show, as paths below `docs`."""
    texts = (source_of(docs, name).read_text(encoding="utf-8") for name in PAGES)
    return sorted({picture for text in texts for picture in PICTURE.findall(text)})


def page_html(name: str, text: str, version: str, pictures: Path | None = None) -> str:
    """Return a page as an HTML document. Its pictures are beside it, or in the folder `pictures`."""
    entries = (
        f'<a href="{one}.html"{" class=here" if one == name else ""}>{html.escape(title)}</a>'
        for one, title in PAGES.items()
    )
    return "\n".join(
        (
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
            f"<title>{html.escape(PAGES[name])} – Stemmata</title><style>{STYLE}</style></head>",
            f"<body><nav>{''.join(entries)}<p>Stemmata {html.escape(version)}</p></nav>",
            f"<main>\n{_body(text, pictures)}</main></body></html>\n",
        )
    )


def _body(text: str, pictures: Path | None) -> str:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.anchors import anchors_plugin

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").use(anchors_plugin, max_level=4)
    tokens = markdown.parse(text)
    for token in tokens:
        token.children = token.children and [*_with_targets(token.children, pictures)]
    return str(markdown.renderer.render(tokens, markdown.options, {}))


def _with_targets(tokens: Iterable[Token], pictures: Path | None) -> Iterator[Token]:
    """Yield the tokens of a line. Links lead to HTML files; those to pages that are not built become plain text.

    The addresses of pictures are put in here, because Markdown takes none that begin with `file:`.
    """
    is_plain = False  # whether the token is inside of a link that is left out; links contain no links
    for token in tokens:
        if token.type == "link_open":
            target = _target(str(token.attrs["href"]))
            is_plain = target is None
            token.attrs["href"] = target or ""
        elif token.type == "image" and pictures is not None:
            token.attrs["src"] = (pictures / str(token.attrs["src"])).as_uri()
        if not (is_plain and token.type in ("link_open", "link_close")):
            yield token


def _target(link: str) -> str | None:
    """Return a link between pages as one between HTML files; None for a page that is not built."""
    path, mark, anchor = link.partition("#")
    if "://" in path or not path:
        return link
    name = path.removesuffix(".md")
    return f"{name}.html{mark}{anchor}" if path.endswith(".md") and name in PAGES else None
