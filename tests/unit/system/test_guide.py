from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from stemmata.domain.errors import KnownError
from stemmata.system.guide import PAGES, Guide, build_pages, page_html, pictures_of

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("guide")
    build_pages(DOCS, folder, "1.2.3")
    return folder


@pytest.mark.parametrize("name", PAGES)
def test_every_link_of_a_page_leads_somewhere(name: str, built: Path) -> None:
    text = (built / f"{name}.html").read_text(encoding="utf-8")
    assert "1.2.3" in text
    for link in re.findall(r'href="([^"#]*)(#[^"]*)?"', text):
        target, anchor = link
        if "://" in target:
            continue
        page = text if not target else (built / target).read_text(encoding="utf-8")
        assert not anchor or f'id="{anchor[1:]}"' in page, link


def test_pictures_are_found(built: Path) -> None:
    for picture in pictures_of(DOCS):
        assert (DOCS / picture).exists()
        assert f'src="{picture}"' in (built / "guide.html").read_text(encoding="utf-8")


def test_html_of_a_source_is_text() -> None:
    assert "<script>" not in page_html("guide", "# A\n\n<script>alert(1)</script>\n", "1")


def test_a_checkout_builds_its_pages_when_they_are_shown(tmp_path: Path) -> None:
    page = Guide(tmp_path / "cache").page("guide")
    assert page == tmp_path / "cache" / "guide.html"
    text = page.read_text(encoding="utf-8")
    shown = [unquote(address) for address in re.findall(r'<img src="file://([^"]*)"', text)]
    assert len(shown) == len(pictures_of(DOCS))
    assert all(Path(path).exists() for path in shown)
    assert "![" not in text


def test_a_package_shows_its_own_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "guide.html").touch()
    monkeypatch.setattr("stemmata.system.guide.resource", lambda *parts: tmp_path.joinpath(*parts))
    assert Guide(tmp_path / "cache").page("guide") == tmp_path / "docs" / "guide.html"


def test_without_pages_and_sources_it_is_told(tmp_path: Path) -> None:
    with pytest.raises(KnownError, match="contains no guide"):
        Guide(tmp_path / "cache", tmp_path).page("guide")


def test_a_cache_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(KnownError, match="Could not write the guide"):
        Guide(tmp_path / "file").page("guide")


def test_a_link_to_a_page_that_is_not_built_is_text() -> None:
    page = page_html("guide", "See [the *store*](store-format.md#a) and [words](words.md).", "1")
    assert '<p>See the <em>store</em> and <a href="words.html">words</a>.</p>' in page
