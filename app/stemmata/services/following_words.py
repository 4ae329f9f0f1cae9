"""What is told of followed folders and files."""

from __future__ import annotations

from stemmata.domain.following import Followed, FollowingNews, Way

_KEPT = "What was imported is kept"
_FOLDERS = {
    Way.GONE: f"The followed folder {{0}} is not there. {_KEPT}; it is followed again once it is back.",
    Way.REFUSED: f"The followed folder {{0}} may not be read. {_KEPT}; it is followed again once it may.",
    Way.NETWORK: "{0} lies on a network file system, which does not tell of changes: it is looked through again and "
    "again instead.",
    Way.LIMIT: "The system watches no more folders for this program: {0} is looked through again and again instead. "
    "On Linux the limit is fs.inotify.max_user_watches.",
}  # fmt: skip


def folder_news(folder: Followed) -> FollowingNews | None:
    """None where all is well."""
    text = _FOLDERS.get(folder.way)
    return (
        None if text is None else FollowingNews(folder.folder, text.format(folder.folder), bad=not folder.is_followed)
    )


def folder_back(folder: Followed) -> FollowingNews:
    return FollowingNews(folder.folder, f"{folder.folder} is followed again.")


def file_news(reason: str) -> str:
    return f"A followed session cannot be read on. {reason} {_KEPT}."


def link_news(file: str) -> str:
    return f"A followed session is not read on: {file} is a link now, and links are not followed. {_KEPT}."


def well_again(about: str) -> FollowingNews:
    """`about` is a file, "" for the archive."""
    what = f"{about} is read on again." if about else "What had come meanwhile is imported: nothing was lost."
    return FollowingNews(about, what)
