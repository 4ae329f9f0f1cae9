"""The errors that a user can act on. Any other exception is a bug."""


class KnownError(Exception):
    """Base of all errors that a user can act on. The message says what failed, what is safe and what to do."""


class NotFoundError(KnownError):
    """The session, entry or file that was requested by name or id does not exist."""


class NothingToDoError(KnownError):
    """The request is valid but would change nothing."""


class NoGainError(NothingToDoError):
    """A compaction would not make the context smaller."""


class ConflictError(KnownError):
    """Another change was stored first, such as a compaction of the same branch or a move of the leaf."""


class UnreadableSourceError(KnownError):
    """The source file cannot be read at all, or its format is unknown."""


class NotStoredError(KnownError):
    """The archive cannot store anything at the moment, because the disk is full or another program is writing.

    The condition ends with the next write that succeeds.
    """


class RereadError(Exception):
    """The new part of a grown file does not fit the part that was read before; read the whole file again."""


class CancelledError(KnownError):
    """The user cancelled the work; nothing was changed."""
