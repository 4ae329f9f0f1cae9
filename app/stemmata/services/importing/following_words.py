"""What is told of followed folders and files."""

from __future__ import annotations

from stemmata.domain.settings.following import Followed, FollowingNews, Way
from stemmata.domain.text.phrases import Phrase, template

_FOLDERS = {
    Way.GONE: template(
        "The followed folder {0} is not there. What was imported is kept; it is followed again once it is back."
    ),
    Way.REFUSED: template(
        "The followed folder {0} may not be read. What was imported is kept; it is followed again once it may."
    ),
    Way.NETWORK: template(
        "{0} lies on a network file system, which does not tell of changes: it is looked through again and again "
        "instead."
    ),
    Way.LIMIT: template(
        "The system watches no more folders for this program: {0} is looked through again and again instead. "
        "On Linux the limit is fs.inotify.max_user_watches."
    ),
}


def folder_news(folder: Followed) -> FollowingNews | None:
    """None where all is well."""
    words = _FOLDERS.get(folder.way)
    if words is None:
        return None
    return FollowingNews(folder.folder, Phrase(words, folder.folder), bad=not folder.is_followed)


def folder_back(folder: Followed) -> FollowingNews:
    return FollowingNews(folder.folder, Phrase("{0} is followed again.", folder.folder))


def folder_left(folder: Followed) -> FollowingNews:
    return FollowingNews(folder.folder, Phrase("{0} is followed no longer.", folder.folder))


def file_news(reason: str) -> str:
    return Phrase("A followed session cannot be read on. {0} What was imported is kept.", reason)


def link_news(file: str) -> str:
    return Phrase(
        "A followed session is not read on: {0} is a link now, and links are not followed. "
        "What was imported is kept.",
        file,
    )


def well_again(about: str) -> FollowingNews:
    """`about` is a file, "" for the archive."""
    if not about:
        return FollowingNews(about, Phrase("What had come meanwhile is imported: nothing was lost."))
    return FollowingNews(about, Phrase("{0} is read on again.", about))
