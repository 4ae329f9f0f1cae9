"""The schema as ordered steps. A released step is never edited: add a new one."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path

from stemmata.domain.errors import KnownError
from stemmata.domain.text.phrases import Phrase
from stemmata.store.core.database import APPLICATION_ID, address

FOLLOWERS = ("-wal", "-shm")  # files that SQLite keeps beside a database; they belong to that file alone


def backups_of(path: Path) -> list[Path]:
    """Return the backups beside the archive, newest first."""
    found = [file for file in path.parent.glob(f"{path.name}*.bak") if file.is_file()]
    return sorted(found, key=lambda file: file.stat().st_mtime, reverse=True)


def restore(path: Path, backup: Path) -> Path:
    """Replace the archive by a copy of the backup; return where the archive was moved to. Nothing is deleted.

    Raises KnownError if the backup is not a valid archive, or if files cannot be moved.
    """
    _examine(backup)
    aside = _free_name(path)
    try:
        copy = path.with_name(f"{path.name}.restoring")
        copy.touch(mode=0o600)
        with closing(sqlite3.connect(backup)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        for end in ("", *FOLLOWERS):
            file = path.with_name(path.name + end)
            if file.exists():
                file.rename(aside.with_name(aside.name + end))
        os.replace(copy, path)
    except (OSError, sqlite3.Error, UnicodeDecodeError) as error:
        raise KnownError(
            Phrase(
                "The backup could not be put into place: {0}. The backup is untouched; "
                "look into the archive's folder before you try again.\n{1}",
                error,
                path,
            )
        ) from error
    return aside


def _examine(backup: Path) -> None:
    try:
        with closing(sqlite3.connect(f"{backup.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            owner = connection.execute("PRAGMA application_id").fetchone()[0]
            sound = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter: a message that quotes damaged bytes
        raise KnownError(Phrase("The backup cannot be read: {0}. Choose another one.\n{1}", error, backup)) from error
    if owner != APPLICATION_ID or sound != "ok":
        raise KnownError(Phrase("The file is not an intact Stemmata archive. Choose another file.\n{0}", backup))


def _free_name(path: Path) -> Path:
    number = 1
    while (name := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return name


Migration = Callable[..., None]  # gets the connection, and one of TELLING also a ShareSink
ShareSink = Callable[[float | None], None]  # gets the finished share of a step, from 0 to 1; None while unknown


def migrate(
    connection: sqlite3.Connection,
    path: Path,
    steps: Sequence[Migration] | None = None,
    tell: ShareSink = lambda _share: None,
) -> None:
    """Bring the file to the newest format: one transaction for each step, and a copy of the file before the first.

    There are no copies between the steps: a copy takes longer than most steps, and the formats in between are not
    needed. `tell` is called with the progress of steps that take long in a large archive. Raises KnownError when the
    file is newer than this program, also when a newer program upgrades it meanwhile.
    """
    steps = MIGRATIONS if steps is None else steps
    version = _known_version(connection, path, len(steps))
    if 0 < version < len(steps):  # a new archive holds nothing to copy
        version = _copied(connection, path, len(steps))
    for number in range(version, len(steps)):
        _step(connection, steps[number], number, tell)
        tell(None)
    _known_version(connection, path, len(steps))


def _known_version(connection: sqlite3.Connection, path: Path, newest: int) -> int:
    """Return the format of the file. Raises KnownError when it is newer than the newest one of this program."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > newest:
        raise KnownError(
            Phrase(
                "The archive was written by a newer version of Stemmata (format {0}, this program knows {1}). "
                "It was left as it is: install the newer version.\n{2}",
                version,
                newest,
                path,
            )
        )
    return version


def check_not_upgraded(connection: sqlite3.Connection) -> None:
    """Raise KnownError when a newer program has upgraded the open archive: its new columns would not be written."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise KnownError(
            Phrase(
                "A newer version of Stemmata has upgraded the archive (format {0}, this program knows {1}). "
                "Nothing was changed. Quit Stemmata and start the newer version.",
                version,
                len(MIGRATIONS),
            )
        )


def _copied(connection: sqlite3.Connection, path: Path, newest: int) -> int:
    """Copy the archive unless it has the newest format; return its format. No other process upgrades it meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        if version < newest:
            with closing(sqlite3.connect(path)) as source:  # SQLite copies nothing from a connection that may write
                back_up(source, path.with_name(f"{path.name}.format-{version}.bak"))
    finally:
        connection.execute("ROLLBACK")
    return version


def is_current(path: Path) -> bool:
    """Return whether the file has the newest format."""
    with closing(sqlite3.connect(address(path), uri=True)) as connection:
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        return version == len(MIGRATIONS)


def _step(connection: sqlite3.Connection, step: Migration, number: int, tell: ShareSink) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        # otherwise another process has migrated the archive meanwhile
        if connection.execute("PRAGMA user_version").fetchone()[0] == number:
            step(connection, *([tell] if step in TELLING else []))
            connection.execute(f"PRAGMA user_version = {number + 1}")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    except BaseException:
        if connection.in_transaction:  # SQLite itself rolls back when the disk is full or fails
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def back_up(connection: sqlite3.Connection, target: Path) -> None:
    """Copy the archive consistently, readable by its owner only; the target is replaced when the copy is complete."""
    partial = target.with_name(f"{target.name}.part")
    journal = target.with_name(f"{partial.name}-journal")  # stays when the disk is full
    partial.unlink(missing_ok=True)
    partial.touch(mode=0o600)
    try:
        with closing(sqlite3.connect(partial)) as copy:
            connection.backup(copy)
            copy.execute("PRAGMA journal_mode = delete")
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        journal.unlink(missing_ok=True)
        raise


def _first(connection: sqlite3.Connection) -> None:
    for statement in _FIRST.split(";\n\n"):
        connection.execute(statement)


_FIRST = """
CREATE TABLE sessions (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL,
    source_id TEXT NOT NULL,
    title TEXT NOT NULL DEFAULT '',
    prompt TEXT NOT NULL DEFAULT '',
    cwd TEXT NOT NULL DEFAULT '',
    parent INTEGER REFERENCES sessions (key) ON DELETE SET NULL,
    parent_source_id TEXT NOT NULL DEFAULT '',
    leaf INTEGER,
    created_at INTEGER NOT NULL DEFAULT 0,
    updated_at INTEGER NOT NULL DEFAULT 0,
    entries INTEGER NOT NULL DEFAULT 0,
    branches INTEGER NOT NULL DEFAULT 0,
    compactions INTEGER NOT NULL DEFAULT 0,
    context_tokens INTEGER,
    context_kind TEXT NOT NULL DEFAULT 'unknown',
    model TEXT NOT NULL DEFAULT '',
    cost INTEGER NOT NULL DEFAULT 0,
    starred INTEGER NOT NULL DEFAULT 0,
    archived INTEGER NOT NULL DEFAULT 0,
    trashed INTEGER NOT NULL DEFAULT 0,
    path TEXT NOT NULL DEFAULT '',
    summary TEXT NOT NULL DEFAULT '',
    details TEXT NOT NULL DEFAULT '',
    UNIQUE (source, source_id)
) STRICT;

CREATE INDEX sessions_parent ON sessions (parent);

CREATE TABLE names (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
) STRICT;

INSERT INTO names (id, text) VALUES (0, '');

CREATE TABLE entries (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    parent INTEGER,
    kind INTEGER NOT NULL,
    role INTEGER NOT NULL,
    time INTEGER NOT NULL,
    flags INTEGER NOT NULL,
    text INTEGER NOT NULL,
    thinking INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    images INTEGER NOT NULL,
    reported INTEGER NOT NULL,
    target INTEGER,
    label INTEGER NOT NULL,
    id TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    tool TEXT NOT NULL,
    call TEXT NOT NULL,
    name TEXT NOT NULL,
    preview TEXT NOT NULL,
    record_offset INTEGER,
    record_size INTEGER
) STRICT;

CREATE INDEX entries_session ON entries (session);

CREATE UNIQUE INDEX entries_id ON entries (session, id);

CREATE TABLE bodies (
    key INTEGER PRIMARY KEY REFERENCES entries (key) ON DELETE CASCADE,
    size INTEGER NOT NULL,
    head TEXT,
    body TEXT NOT NULL
) STRICT;

CREATE TABLE usage (
    key INTEGER PRIMARY KEY REFERENCES entries (key) ON DELETE CASCADE,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    cache_write_1h INTEGER NOT NULL,
    total INTEGER NOT NULL,
    cost INTEGER
) STRICT;

CREATE TABLE shares (
    session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    entry INTEGER NOT NULL REFERENCES entries (key) ON DELETE CASCADE,
    PRIMARY KEY (session, entry)
) STRICT, WITHOUT ROWID;

CREATE INDEX shares_entry ON shares (entry);

CREATE TABLE records (
    key INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    offset INTEGER NOT NULL,
    size INTEGER NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (session, offset)
) STRICT;

CREATE TABLE blobs (
    key INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    data BLOB NOT NULL
) STRICT;

CREATE TABLE blob_uses (
    entry INTEGER NOT NULL REFERENCES entries (key) ON DELETE CASCADE,
    digest TEXT NOT NULL,
    PRIMARY KEY (entry, digest)
) STRICT, WITHOUT ROWID;

CREATE INDEX blob_uses_digest ON blob_uses (digest);

CREATE TABLE leaf_moves (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    before INTEGER,
    after INTEGER,
    time INTEGER NOT NULL,
    reason TEXT NOT NULL
) STRICT;

CREATE INDEX leaf_moves_session ON leaf_moves (session);

CREATE TABLE tags (
    session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (session, tag)
) STRICT, WITHOUT ROWID;

CREATE TABLE drafts (
    session INTEGER PRIMARY KEY REFERENCES sessions (key) ON DELETE CASCADE,
    text TEXT NOT NULL,
    time INTEGER NOT NULL
) STRICT;

CREATE TABLE queue (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    body TEXT NOT NULL,
    time INTEGER NOT NULL
) STRICT;

CREATE INDEX queue_session ON queue (session, position);

CREATE TABLE conversations (
    name TEXT PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    time INTEGER NOT NULL,
    details TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX conversations_session ON conversations (session);

CREATE TABLE imports (
    path TEXT PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    size INTEGER NOT NULL,
    mtime INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    head TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX imports_session ON imports (session);

CREATE TABLE embeddings (
    key INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    entry INTEGER REFERENCES entries (key) ON DELETE CASCADE,
    model TEXT NOT NULL,
    vector BLOB NOT NULL
) STRICT;

CREATE INDEX embeddings_session ON embeddings (session);

CREATE INDEX embeddings_entry ON embeddings (entry);

CREATE VIEW searchable (key, text) AS
SELECT entries.key, substr(
    CASE WHEN entries.role = 4 OR entries.kind IN (5, 8) THEN entries.name || char(10) ELSE '' END
    || ifnull((
        SELECT group_concat(CASE json_extract(block.value, '$[0]')
            WHEN 't' THEN json_extract(block.value, '$[1]')
            WHEN 'c' THEN json_extract(block.value, '$[2]') || ' ' || replace(replace(replace(
                json_extract(block.value, '$[3]'), '\\\\', ' '), '\\n', ' '), '\\t', ' ')
            END, char(10))
        FROM json_each(CASE
            WHEN bodies.size > 4194304 THEN bodies.head
            WHEN instr(bodies.body, '\\u0000') THEN replace(replace(replace(
                bodies.body, '\\\\', char(57347)), '\\u0000', ' '), char(57347), '\\\\')
            ELSE bodies.body END, '$.b') AS block
    ), ''), 1, 1000000)
FROM entries JOIN bodies ON bodies.key = entries.key;

CREATE VIRTUAL TABLE entries_fts USING fts5 (
    text, content = 'searchable', content_rowid = 'key', tokenize = 'unicode61', prefix = '2 3'
);

INSERT INTO entries_fts (entries_fts, rank) VALUES ('hashsize', 16777216)
"""


def _runs(connection: sqlite3.Connection) -> None:
    """Add runs and partial replies, so that a reply is not lost with the process."""
    for statement in _RUNS.split(";\n\n"):
        connection.execute(statement)


_RUNS = """
CREATE TABLE runs (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    owner TEXT NOT NULL,
    tip INTEGER,
    connection TEXT NOT NULL,
    model TEXT NOT NULL,
    started INTEGER NOT NULL
) STRICT;

CREATE INDEX runs_session ON runs (session);

CREATE TABLE partials (
    run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
    step INTEGER NOT NULL,
    position INTEGER NOT NULL,
    whole INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, step, position)
) STRICT, WITHOUT ROWID
"""


def _chats(connection: sqlite3.Connection) -> None:
    """Add attachments of drafts, and the writer of a leaf move (0 for unknown)."""
    connection.execute("ALTER TABLE drafts ADD COLUMN body TEXT NOT NULL DEFAULT ''")
    connection.execute("ALTER TABLE leaf_moves ADD COLUMN writer INTEGER NOT NULL DEFAULT 0")


def _facets(connection: sqlite3.Connection) -> None:
    """Add role, session and tool to the full-text index, so that they narrow a search inside it."""
    for statement in _FACETS.split(";\n\n"):
        connection.execute(statement)


_FACETS = """
CREATE VIEW indexed (key, text, facets) AS
SELECT entries.key, searchable.text,
    char(983040 + CASE WHEN entries.role > 0 THEN entries.role ELSE 256 + entries.kind END)
    || ' ' || char(983552) || entries.session
    || CASE WHEN entries.tool = '' THEN '' ELSE ' ' || char(983553) || hex(substr(entries.tool, 1, 100)) END
FROM entries JOIN searchable ON searchable.key = entries.key;

DROP TABLE entries_fts;

CREATE VIRTUAL TABLE entries_fts USING fts5 (
    text, facets, content = 'indexed', content_rowid = 'key', tokenize = 'unicode61', prefix = '2 3'
);

INSERT INTO entries_fts (entries_fts, rank) VALUES ('hashsize', 16777216);

INSERT INTO entries_fts (rowid, text, facets) SELECT key, text, facets FROM indexed;

CREATE VIRTUAL TABLE entries_fts_terms USING fts5vocab (entries_fts, instance)
"""


def _wrappings(connection: sqlite3.Connection) -> None:
    """Remove the tags around commands and notes from previews and titles."""
    from stemmata.store.entries.previews import rewrite_previews  # imported late, see decision 26: loads the codecs

    rewrite_previews(connection)


def _left_out(connection: sqlite3.Connection) -> None:
    """Remember the files of deleted sessions, so that following a folder does not import them again."""
    for statement in _LEFT_OUT.split(";\n\n"):
        connection.execute(statement)


_LEFT_OUT = """
CREATE TABLE left_out (path TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

CREATE TRIGGER imports_deleted AFTER DELETE ON imports BEGIN
    INSERT OR IGNORE INTO left_out (path) VALUES (old.path);
END;

CREATE TRIGGER imports_added AFTER INSERT ON imports BEGIN
    DELETE FROM left_out WHERE path = new.path;
END
"""


def _partial_texts(connection: sqlite3.Connection) -> None:
    """Store the text of an open block in pieces, so that more text does not rewrite the block."""
    connection.execute(_PARTIAL_TEXTS)


_PARTIAL_TEXTS = """
CREATE TABLE partial_texts (
    run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
    step INTEGER NOT NULL,
    position INTEGER NOT NULL,
    part INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, step, position, part)
) STRICT, WITHOUT ROWID
"""


def _versions(connection: sqlite3.Connection) -> None:
    """Add versions of sources, and digests of entries.

    The first version of an existing session has the session's key; entries without a version belong to it. Every file
    is read once from its beginning before it is continued, because another file may have replaced it. Files of
    entries that lost their record are read again.
    """
    for statement in _VERSIONS.split(";\n\n"):
        connection.execute(statement)


_VERSIONS = """
CREATE TABLE versions (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    path TEXT NOT NULL
) STRICT;

CREATE INDEX versions_session ON versions (session);

INSERT INTO versions (key, session, path) SELECT key, key, path FROM sessions;

ALTER TABLE records RENAME TO old_records;

CREATE TABLE records (
    key INTEGER PRIMARY KEY,
    version INTEGER NOT NULL REFERENCES versions (key) ON DELETE CASCADE,
    offset INTEGER NOT NULL,
    size INTEGER NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (version, offset)
) STRICT;

INSERT INTO records SELECT key, session, offset, size, data FROM old_records;

DROP TABLE old_records;

ALTER TABLE entries ADD COLUMN version INTEGER;

ALTER TABLE entries ADD COLUMN digest INTEGER;

ALTER TABLE entries ADD COLUMN variant INTEGER;

ALTER TABLE imports ADD COLUMN version INTEGER;

UPDATE imports SET offset = 0, version = session;

UPDATE imports SET mtime = 0 WHERE session IN (
    SELECT entries.session FROM entries LEFT JOIN (
        SELECT version, max(offset + size) AS size FROM records GROUP BY version) AS sources
    ON sources.version = entries.session WHERE record_offset + record_size > ifnull(sources.size, 0))
"""


def _more_wrappings(connection: sqlite3.Connection) -> None:
    """Remove the tags that are recognised since `_wrappings`, such as `<ide_opened_file>`."""
    _wrappings(connection)


def _embeddings(connection: sqlite3.Connection) -> None:
    """Create the table of vectors in a new layout; nothing was written to the old table."""
    for statement in _EMBEDDINGS.split(";\n\n"):
        connection.execute(statement)


_EMBEDDINGS = """
DROP TABLE embeddings;

CREATE TABLE embedding_models (
    key INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    dimension INTEGER NOT NULL,
    done INTEGER NOT NULL
) STRICT;

CREATE TABLE embeddings (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    entry INTEGER REFERENCES entries (key) ON DELETE CASCADE,
    model INTEGER NOT NULL REFERENCES embedding_models (key) ON DELETE CASCADE,
    text TEXT NOT NULL,
    signs BLOB NOT NULL,
    vector BLOB NOT NULL
) STRICT;

CREATE INDEX embeddings_session ON embeddings (session);

CREATE INDEX embeddings_entry ON embeddings (entry);

CREATE INDEX embeddings_model ON embeddings (model)
"""


def _finalised(connection: sqlite3.Connection) -> None:
    """Add the last entry that the summary of a session covers; NULL while the session is open."""
    connection.execute("ALTER TABLE sessions ADD COLUMN finalised INTEGER")


def _fixed_parts(connection: sqlite3.Connection) -> None:
    """Add the sizes of the system prompt and the tool definitions of the request that a reply answers."""
    for column in ("system", "tools"):
        connection.execute(f"ALTER TABLE entries ADD COLUMN {column} INTEGER NOT NULL DEFAULT -1")


def _titles(connection: sqlite3.Connection) -> None:
    """Make titles of the first lines of first prompts."""
    from stemmata.store.entries.previews import shorten_titles  # imported late, see decision 26: loads the codecs

    shorten_titles(connection)


def _pairs(connection: sqlite3.Connection) -> None:
    """Index texts with Chinese, Japanese or Korean by pairs of characters, so that they are found inside runs."""
    from stemmata.store.schema.former_index import fill_pairs  # imported late, see decision 26: loads the codecs

    for statement in _PAIRS.split(";\n\n"):
        connection.execute(statement)
    fill_pairs(connection)


_PAIRS = """
CREATE VIRTUAL TABLE cjk_fts USING fts5 (text, facets, content = '', tokenize = 'unicode61', prefix = '1');

INSERT INTO cjk_fts (cjk_fts, rank) VALUES ('hashsize', 16777216)
"""


def _steps(connection: sqlite3.Connection) -> None:
    """Add the histories, with a step for each move of a leaf that could be undone or redone.

    Entries that a run appended below each other become one step, which begins with the user's message.
    """
    for statement in _STEPS.split(";\n\n"):
        connection.execute(statement)
    for (session,) in connection.execute("SELECT DISTINCT session FROM leaf_moves").fetchall():
        done, undone = _replayed(connection.execute(_LEAF_MOVES, (session,)))
        for is_undone, moves in ((0, done), (1, undone[::-1])):
            for what, before, after in moves:
                row = connection.execute("INSERT INTO steps (what, undone) VALUES (?, ?)", (what, is_undone))
                values = (row.lastrowid, session, before or "", after or "")
                connection.execute(_OLD_CHANGE, values)
                connection.execute("INSERT INTO step_scopes VALUES (?, ?)", (session, row.lastrowid))


_STEPS = """
CREATE TABLE steps (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    what TEXT NOT NULL,
    name TEXT NOT NULL DEFAULT '',
    count INTEGER NOT NULL DEFAULT 1,
    undone INTEGER NOT NULL DEFAULT 0,
    writer INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE step_changes (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    step INTEGER NOT NULL REFERENCES steps (key) ON DELETE CASCADE,
    session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    fact TEXT NOT NULL,
    entry INTEGER,
    before TEXT NOT NULL,
    after TEXT NOT NULL
) STRICT;

CREATE INDEX step_changes_step ON step_changes (step);

CREATE INDEX step_changes_session ON step_changes (session);

CREATE TABLE step_scopes (
    scope INTEGER NOT NULL,
    step INTEGER NOT NULL REFERENCES steps (key) ON DELETE CASCADE,
    PRIMARY KEY (scope, step)
) STRICT, WITHOUT ROWID;

CREATE INDEX step_scopes_step ON step_scopes (step)
"""
_LEAF_MOVES = """
    SELECT before, after, reason, ifnull(role = 1 AND kind = 0, 0) FROM leaf_moves
    LEFT JOIN entries ON entries.key = after WHERE leaf_moves.session = ? ORDER BY leaf_moves.key"""
_OLD_CHANGE = """
    INSERT INTO step_changes (step, session, fact, before, after)
    VALUES (?, ?, 'leaf', CAST(? AS TEXT), CAST(? AS TEXT))"""
_OldMove = tuple[str, int | None, int | None]  # reason, before, after


def _replayed(rows: Iterable[tuple[int | None, int | None, str, int]]) -> tuple[list[_OldMove], list[_OldMove]]:
    """Return the done moves and the undone moves; the move that was undone last is at the end."""
    done: list[_OldMove] = []
    undone: list[_OldMove] = []
    for at, (before, after, reason, is_message) in enumerate(rows):
        if reason == "undo" and done:
            undone.append(done.pop())
        elif reason == "redo" and undone:
            done.append(undone.pop())
        elif at > 0 or reason not in ("import", "fork"):
            done.append(("send" if is_message and reason == "append" else reason, before, after))
            undone.clear()
    joined: list[_OldMove] = []
    for what, before, after in done:
        if what == "append" and joined and joined[-1][0] in ("send", "reply") and joined[-1][2] == before:
            joined[-1] = (joined[-1][0], joined[-1][1], after)
        else:
            joined.append(("reply" if what == "append" else what, before, after))
    return joined, [("reply" if what == "append" else what, before, after) for what, before, after in undone]


def _key_ranges(connection: sqlite3.Connection) -> None:
    """Note times, models and images for each 1,024 keys, so that searches leave out ranges without matches."""
    connection.execute(_RANGES)
    connection.execute(_NOTE_RANGES)


_RANGES = """
CREATE TABLE key_ranges (
    place INTEGER NOT NULL,
    model TEXT NOT NULL,
    earliest INTEGER NOT NULL,
    latest INTEGER NOT NULL,
    images INTEGER NOT NULL,
    PRIMARY KEY (place, model)
) STRICT, WITHOUT ROWID
"""
_NOTE_RANGES = """
    INSERT INTO key_ranges (place, model, earliest, latest, images)
    SELECT key >> 10, model, min(time), max(time), max(images > 0) FROM entries GROUP BY 1, 2"""


def _removed(connection: sqlite3.Connection) -> None:
    """Add when an entry was missed in its source, and how often a database was written when it was read."""
    connection.execute("ALTER TABLE entries ADD COLUMN removed INTEGER")
    connection.execute("ALTER TABLE imports ADD COLUMN writes INTEGER NOT NULL DEFAULT 0")


def _hand_offs(connection: sqlite3.Connection) -> None:
    """Add the table of hand-offs: a new session of another tool, and the session that was handed over to it."""
    connection.execute(
        """
        CREATE TABLE hand_offs (
            source TEXT NOT NULL,
            source_id TEXT NOT NULL,
            session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
            PRIMARY KEY (source, source_id)
        ) STRICT, WITHOUT ROWID"""
    )
    connection.execute("CREATE INDEX hand_offs_session ON hand_offs (session)")


def _tree_pieces(connection: sqlite3.Connection) -> None:
    """Add the stored columns of large sessions, and triggers that drop those of entries that change.

    A trigger covers each statement of each version of Stemmata, and the shell.
    """
    for statement in _TREE_PIECES.split(";\n\n"):
        connection.execute(statement)


_TREE_PIECES = """
CREATE TABLE tree_pieces (
    session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    count INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (session, first)
) STRICT;

CREATE TRIGGER entries_updated AFTER UPDATE OF
    key, parent, kind, role, time, flags, text, thinking, calls, images, reported, system, tools, target, label
ON entries BEGIN
    DELETE FROM tree_pieces WHERE session = OLD.session AND first <= OLD.key AND last >= OLD.key;
END;

CREATE TRIGGER entries_moved AFTER UPDATE OF session ON entries BEGIN
    DELETE FROM tree_pieces WHERE session IN (OLD.session, NEW.session);
END;

CREATE TRIGGER entries_deleted AFTER DELETE ON entries BEGIN
    DELETE FROM tree_pieces WHERE session = OLD.session AND first <= OLD.key AND last >= OLD.key;
END
"""


def _trash_index(connection: sqlite3.Connection) -> None:
    """Add an index of the entries that move branches to the trash.

    Few sessions have one, and a search of the abandoned branches asks each session.
    """
    connection.execute("CREATE INDEX entries_trash ON entries (session) WHERE kind = 12")


def _thoughts(connection: sqlite3.Connection) -> None:
    """Add thoughts to the full-text index."""
    from stemmata.store.schema.former_index import fill_anew  # imported late, see decision 26: loads the codecs

    for statement in _THOUGHTS.split(";\n\n"):
        connection.execute(statement)
    if connection.execute("SELECT 1 FROM entries WHERE thinking > 0 LIMIT 1").fetchone():
        fill_anew(connection)


_BLOCKS = """json_each(CASE
            WHEN bodies.size > 4194304 THEN bodies.head
            WHEN instr(bodies.body, '\\u0000') THEN replace(replace(replace(
                bodies.body, '\\\\', char(57347)), '\\u0000', ' '), char(57347), '\\\\')
            ELSE bodies.body END, '$.b') AS block"""
_THOUGHTS = f"""
DROP VIEW indexed;

DROP VIEW searchable;

CREATE VIEW searchable (key, text) AS
SELECT entries.key, substr(
    CASE WHEN entries.role = 4 OR entries.kind IN (5, 8) THEN entries.name || char(10) ELSE '' END
    || ifnull((
        SELECT group_concat(CASE json_extract(block.value, '$[0]')
            WHEN 't' THEN json_extract(block.value, '$[1]')
            WHEN 'c' THEN json_extract(block.value, '$[2]') || ' ' || replace(replace(replace(
                json_extract(block.value, '$[3]'), '\\\\', ' '), '\\n', ' '), '\\t', ' ')
            END, char(10))
        FROM {_BLOCKS}
    ), '')
    || CASE WHEN entries.thinking = 0 THEN '' ELSE ifnull((
        SELECT char(10) || group_concat(json_extract(block.value, '$[1]'), char(10))
        FROM {_BLOCKS}
        WHERE json_extract(block.value, '$[0]') = 'k' AND json_extract(block.value, '$[1]') <> ''
    ), '') END, 1, 1000000)
FROM entries JOIN bodies ON bodies.key = entries.key;

CREATE VIEW indexed (key, text, facets) AS
SELECT entries.key, searchable.text,
    char(983040 + CASE WHEN entries.role > 0 THEN entries.role ELSE 256 + entries.kind END)
    || ' ' || char(983552) || entries.session
    || CASE WHEN entries.tool = '' THEN '' ELSE ' ' || char(983553) || hex(substr(entries.tool, 1, 100)) END
FROM entries JOIN searchable ON searchable.key = entries.key
"""


def _renewed_titles(connection: sqlite3.Connection) -> None:
    """Compute again the titles of sessions that are taken from their first prompts, by the rules of this version."""
    from stemmata.store.entries.previews import renew_titles  # imported late, see decision 26: loads the codecs

    renew_titles(connection)


def _read_texts(connection: sqlite3.Connection, tell: ShareSink) -> None:
    """Index the readable text of entries: all of it, without escape sequences and overwritten text. Python computes
    the texts, not SQL. FTS5 requires a view as its content, but the index never reads it, so the view gives no texts.
    """
    from stemmata.store.schema.former_index import renew  # imported late, see decision 26: loads the codecs

    renew(connection, tell)
    for statement in _NO_TEXTS.split(";\n\n"):
        connection.execute(statement)


_NO_TEXTS = """
DROP VIEW indexed;

DROP VIEW searchable;

CREATE VIEW indexed (key, text, facets) AS SELECT key, NULL, NULL FROM entries
"""


def _own_exports(connection: sqlite3.Connection) -> None:
    """Let JSON exports be read again that an older version had read as files of Gemini CLI, without entries. Their
    empty sessions are moved to the trash, and keep the bytes of the file, which may not exist any more.
    """
    from stemmata.store.schema.own_exports import let_go  # imported late, see decision 26: loads the codecs

    let_go(connection)


def _names_given_in_tools(connection: sqlite3.Connection) -> None:
    """Let the files of sessions be read again whose title the user may have given in the tool. Earlier versions did
    not store who gave a title; only the files say it. The files count as changed, and are read from their beginning
    by the next import, or when their folder is followed.
    """
    connection.execute(
        """
        UPDATE imports SET offset = 0, lines = 0, mtime = mtime - 1
        WHERE mtime > 1 AND session IN (
            SELECT key FROM sessions
            WHERE source IN ('claude-code', 'codex', 'pi', 'qwen') AND title <> ''
            AND NOT instr(details, '"namedInTool"') AND NOT instr(details, '"namedHere"')
        )"""
    )


def _queued_messages(connection: sqlite3.Connection) -> None:
    """Make the queued messages of Claude Code messages of the user, as which the model got them."""
    from stemmata.store.schema.queued_messages import renew  # imported late, see decision 26: loads the codecs

    renew(connection)


MIGRATIONS: tuple[Migration, ...] = (
    _first, _runs, _chats, _facets, _wrappings, _left_out, _partial_texts, _versions, _more_wrappings,
    _embeddings, _finalised, _fixed_parts, _titles, _pairs, _steps, _key_ranges, _removed,
    _hand_offs, _tree_pieces, _trash_index, _thoughts, _renewed_titles,
    _read_texts, _own_exports, _names_given_in_tools, _queued_messages,
)  # fmt: skip
TELLING = frozenset({_read_texts})
