"""The tables as peewee models. Private to the store, which returns domain values.

Models name the columns; keys, constraints and indexes are in the migrations (a test compares the two). No model is
bound to a database, since a process may have two archives open: every query names its database.
"""

from __future__ import annotations

from peewee import AutoField, BlobField, CompositeKey, IntegerField, Model, TextField


class SessionTable(Model):
    """A session: a tree of entries with its facts and totals."""

    key = AutoField()
    id = TextField()
    source = TextField()
    source_id = TextField()
    title = TextField()
    prompt = TextField()  # the title that the first prompt gives
    cwd = TextField()
    parent = IntegerField(null=True)
    parent_source_id = TextField()
    leaf = IntegerField(null=True)
    created_at = IntegerField()
    updated_at = IntegerField()
    entries = IntegerField()
    branches = IntegerField()
    compactions = IntegerField()
    context_tokens = IntegerField(null=True)
    context_kind = TextField()
    model = TextField()
    cost = IntegerField()
    starred = IntegerField()
    archived = IntegerField()
    trashed = IntegerField()
    path = TextField()
    summary = TextField()
    details = TextField()
    finalised = IntegerField(null=True)  # the last entry that the summary covers; NULL while the session is open

    class Meta:
        table_name = "sessions"


class NameTable(Model):
    """A string that many entries share: a model, a tool, a name."""

    id = AutoField()
    text = TextField()

    class Meta:
        table_name = "names"


class EntryTable(Model):
    """An entry without its content: place in the tree, kind, sizes, preview."""

    key = AutoField()
    session = IntegerField()
    parent = IntegerField(null=True)
    kind = IntegerField()
    role = IntegerField()
    time = IntegerField()
    flags = IntegerField()
    text = IntegerField()
    thinking = IntegerField()
    calls = IntegerField()
    images = IntegerField()
    reported = IntegerField()
    target = IntegerField(null=True)
    label = IntegerField()
    id = TextField()
    provider = TextField()
    model = TextField()
    tool = TextField()
    call = TextField()
    name = TextField()
    preview = TextField()
    record_offset = IntegerField(null=True)
    record_size = IntegerField(null=True)
    version = IntegerField(null=True)  # version of the source; without one, that of the session's number
    digest = IntegerField(null=True)  # hash of the content; a missing one is computed when first needed
    variant = IntegerField(null=True)  # the entry that has the same id in the source and says something else
    system = IntegerField()  # estimated tokens of the system prompt in the answered request; -1 if unknown
    tools = IntegerField()
    removed = IntegerField(null=True)  # time (ns) of the first import that did not find the entry in its source

    class Meta:
        table_name = "entries"


class KeyRangeTable(Model):
    """The times, images and one model of the entries in a range of keys."""

    place = IntegerField()  # the keys divided by 1,024
    model = TextField()
    earliest = IntegerField()
    latest = IntegerField()
    images = IntegerField()  # 1 where an entry has an image

    class Meta:
        table_name = "key_ranges"
        primary_key = CompositeKey("place", "model")


class TreePieceTable(Model):
    """The columns of consecutive entries of a large session; triggers delete those of entries that change."""

    session = IntegerField()
    first = IntegerField()  # key of the first entry
    last = IntegerField()
    count = IntegerField()
    data = BlobField()

    class Meta:
        table_name = "tree_pieces"
        primary_key = CompositeKey("session", "first")


class BodyTable(Model):
    """The content of an entry as JSON."""

    key = AutoField()
    size = IntegerField()
    head = TextField(null=True)
    body = TextField()

    class Meta:
        table_name = "bodies"


class UsageTable(Model):
    """Tokens and cost that a provider reported for an entry."""

    key = AutoField()
    input = IntegerField()
    output = IntegerField()
    cache_read = IntegerField()
    cache_write = IntegerField()
    cache_write_1h = IntegerField()
    total = IntegerField()
    cost = IntegerField(null=True)

    class Meta:
        table_name = "usage"


class ShareTable(Model):
    """The end of a path that a fork shares with its lineage."""

    session = IntegerField()
    entry = IntegerField()

    class Meta:
        table_name = "shares"
        primary_key = CompositeKey("session", "entry")


class VersionTable(Model):
    """One state of a session's source file."""

    key = AutoField()
    session = IntegerField()
    path = TextField()

    class Meta:
        table_name = "versions"


class RecordTable(Model):
    """A compressed piece of a version."""

    key = AutoField()
    version = IntegerField()
    offset = IntegerField()
    size = IntegerField()
    data = BlobField()

    class Meta:
        table_name = "records"


class BlobTable(Model):
    """An image or attachment, by its SHA-256."""

    key = AutoField()
    digest = TextField()
    size = IntegerField()
    data = BlobField()

    class Meta:
        table_name = "blobs"


class BlobUseTable(Model):
    """An entry that shows a blob."""

    entry = IntegerField()
    digest = TextField()

    class Meta:
        table_name = "blob_uses"
        primary_key = CompositeKey("entry", "digest")


class LeafMoveTable(Model):
    """One move of a session's leaf."""

    key = AutoField()
    session = IntegerField()
    before = IntegerField(null=True)
    after = IntegerField(null=True)
    time = IntegerField()
    reason = TextField()
    writer = IntegerField()

    class Meta:
        table_name = "leaf_moves"


class StepTable(Model):
    """A step of a history: an action of the user, undone and redone as a whole."""

    key = AutoField()
    what = TextField()
    name = TextField()
    count = IntegerField()
    undone = IntegerField()  # 0 while it is done, else a number that is larger the later it was undone
    writer = IntegerField()  # number of the process that made the step, as in the log of leaf moves

    class Meta:
        table_name = "steps"


class StepChangeTable(Model):
    """A change of a step: a fact of a session or entry, before and after."""

    key = AutoField()
    step = IntegerField()
    session = IntegerField()
    fact = TextField()
    entry = IntegerField(null=True)
    before = TextField()
    after = TextField()

    class Meta:
        table_name = "step_changes"


class StepScopeTable(Model):
    """A history that a step belongs to: the history of a session, or 0 for the history of the list."""

    scope = IntegerField()
    step = IntegerField()

    class Meta:
        table_name = "step_scopes"
        primary_key = CompositeKey("scope", "step")


class TagTable(Model):
    """A tag of a session."""

    session = IntegerField()
    tag = TextField()

    class Meta:
        table_name = "tags"
        primary_key = CompositeKey("session", "tag")


class DraftTable(Model):
    """The unsent message of a session."""

    session = AutoField()
    text = TextField()
    time = IntegerField()
    body = TextField()  # the attached blobs

    class Meta:
        table_name = "drafts"


class QueueTable(Model):
    """A message that waits until a run ends."""

    key = AutoField()
    session = IntegerField()
    position = IntegerField()
    body = TextField()
    time = IntegerField()

    class Meta:
        table_name = "queue"


class ConversationTable(Model):
    """A session key and its current session. Not written yet."""

    name = TextField(primary_key=True)
    session = IntegerField()
    time = IntegerField()
    details = TextField()

    class Meta:
        table_name = "conversations"


class ImportTable(Model):
    """The checkpoint of a source file: how far it was read."""

    path = TextField(primary_key=True)
    session = IntegerField()
    size = IntegerField()
    mtime = IntegerField()
    offset = IntegerField()
    lines = IntegerField()
    head = TextField()
    state = TextField()
    version = IntegerField(null=True)
    writes = IntegerField()  # the highest number of writes that a database at this path has had

    class Meta:
        table_name = "imports"


class LeftOutTable(Model):
    """A file that is not followed because its session was deleted."""

    path = TextField(primary_key=True)

    class Meta:
        table_name = "left_out"


class HandOffTable(Model):
    """A session that was handed over as a new session of another tool, which `source` and `source_id` name."""

    source = TextField()
    source_id = TextField()
    session = IntegerField()

    class Meta:
        table_name = "hand_offs"
        primary_key = CompositeKey("source", "source_id")


class EmbeddingModelTable(Model):
    """A model that made vectors. `done` is the last entry key that it was given."""

    key = AutoField()
    name = TextField()
    dimension = IntegerField()
    done = IntegerField()

    class Meta:
        table_name = "embedding_models"


class EmbeddingTable(Model):
    """The vector of a prompt or a summary; without an entry, of the session's title and summary in `text`."""

    key = AutoField()
    session = IntegerField()
    entry = IntegerField(null=True)
    model = IntegerField()
    text = TextField()
    signs = BlobField()  # one bit for each number
    vector = BlobField()  # little-endian half floats

    class Meta:
        table_name = "embeddings"


class RunTable(Model):
    """A run that is active, or that was active when its process died."""

    key = AutoField()
    session = IntegerField()
    owner = TextField()  # "pid:start time" of the process
    tip = IntegerField(null=True)
    connection = TextField()
    model = TextField()
    started = IntegerField()

    class Meta:
        table_name = "runs"


class PartialTable(Model):
    """A block of a streaming reply, stored until the run ends."""

    run = IntegerField()
    step = IntegerField()
    position = IntegerField()
    whole = IntegerField()
    body = TextField()

    class Meta:
        table_name = "partials"
        primary_key = CompositeKey("run", "step", "position")


class PartialTextTable(Model):
    """Text by which an open block has grown."""

    run = IntegerField()
    step = IntegerField()
    position = IntegerField()
    part = IntegerField()
    text = TextField()

    class Meta:
        table_name = "partial_texts"
        primary_key = CompositeKey("run", "step", "position", "part")


TABLES: tuple[type[Model], ...] = (
    SessionTable, NameTable, EntryTable, KeyRangeTable, TreePieceTable, BodyTable, UsageTable, ShareTable,
    VersionTable, RecordTable, BlobTable, BlobUseTable, LeafMoveTable, StepTable, StepChangeTable, StepScopeTable,
    TagTable, DraftTable, QueueTable, ConversationTable, ImportTable, LeftOutTable, HandOffTable, EmbeddingModelTable,
    EmbeddingTable, RunTable, PartialTable, PartialTextTable,
)  # fmt: skip
