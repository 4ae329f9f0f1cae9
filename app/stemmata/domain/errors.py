"""Errors a user can act on. Anything else that is raised is a bug."""


class KnownError(Exception):
    """Something the user can act on: the message says what happened, what was kept and what to do."""


class NotFoundError(KnownError):
    """A session, entry or file that was asked for by name does not exist."""


class NothingToDoError(KnownError):
    """The request is valid and would change nothing."""


class NoGainError(NothingToDoError):
    """A compaction would leave the context as large as it is, or make it larger."""


class ConflictError(KnownError):
    """Somebody else got there first: a concurrent compaction of the same parent, a changed leaf."""


class UnreadableSourceError(KnownError):
    """A file could not be read at all, or is of no known format."""


class NotStoredError(KnownError):
    """The archive takes nothing just now: a full disk, another writer. Over as soon as something is stored."""


class RereadError(Exception):
    """What was read behind an earlier reading does not fit what that one gave: look at the whole file again."""


class CancelledError(KnownError):
    """The user cancelled; nothing was changed."""
