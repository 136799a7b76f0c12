"""The tables of the index. Nothing in them is a source of truth: all of it follows from git.

Column names are the header's keys (`from` is `sender`); times are whole microseconds since 1970
in UTC; lists are JSON. A column that ends in `_fold` holds a name or topic as it is compared.

What survives the deletion of a file is history, not content: `arrivals` (which commit first
brought a delivery), `memory_numbers` (which numbers were ever used) and `memory_events` (which
commits changed a note).
"""

from __future__ import annotations

APPLICATION_ID = 0x676D6978
"""Marks the file as ours in SQLite's own header ("gmix")."""

SCHEMA_VERSION = 2
"""Raised with any change of a table or of how its content is derived; an older file is rebuilt."""

DELIVERY_COLUMNS = (
    "path",
    "blob",
    "recipient",
    "recipient_fold",
    "id",
    "sender",
    "sender_fold",
    "to",
    "cc",
    "kind",
    "subject",
    "date",
    "thread",
    "topic",
    "topic_fold",
    "reply_to",
    "importance",
    "ack_required",
    "expires",
    "clears",
    "origin",
    "request_id",
    "request",
    "wake",
    "rings",
    "first_read_at",
    "read_at",
    "acknowledged_at",
    "handled",
    "archived",
    "text_row",
)

AGENT_COLUMNS = (
    "path",
    "blob",
    "fold",
    "id",
    "name",
    "registered_at",
    "person",
    "label",
    "program",
    "model",
    "project",
    "task",
    "status",
    "status_at",
    "expect",
    "park_reason",
    "park_needs",
    "park_clear_by",
    "park_resume",
    "park_expires",
    "contact_policy",
    "contacts",
    "retired_at",
)

MEMORY_COLUMNS = (
    "path",
    "blob",
    "live",
    "number",
    "uid",
    "title",
    "tags",
    "source",
    "author",
    "created_at",
    "supersedes",
    "superseded_by",
    "superseded_at",
    "text",
    "text_digest",
)

RESERVATION_COLUMNS = (
    "path",
    "blob",
    "id",
    "holder",
    "holder_fold",
    "date",
    "expires",
    "paths",
    "names",
    "exclusive",
    "reason",
    "thread",
    "ttl_seconds",
    "waiting",
)


_NUMBERS = frozenset(
    {
        "acknowledged_at",
        "ack_required",
        "archived",
        "created_at",
        "date",
        "exclusive",
        "expect",
        "expires",
        "first_read_at",
        "handled",
        "live",
        "number",
        "park_expires",
        "person",
        "read_at",
        "registered_at",
        "retired_at",
        "rings",
        "status_at",
        "superseded_at",
        "superseded_by",
        "text_row",
        "ttl_seconds",
        "waiting",
    }
)
"""Columns of whole numbers; an index is only used where both sides have the same type."""


def column_list(columns: tuple[str, ...], table: str = "") -> str:
    """Return the columns quoted and joined for SQL, each after `table.` where one is given."""
    prefix = f"{table}." if table else ""
    return ", ".join(f'{prefix}"{column}"' for column in columns)


def _table(name: str, key: str, columns: tuple[str, ...]) -> str:
    typed = ", ".join(f'"{one}" {_type(one)}' for one in columns)
    return f"CREATE TABLE {name} ({key}, {typed}, UNIQUE (path))"


def _type(column: str) -> str:
    if column == "text_digest":
        return "BLOB"
    return "INTEGER" if column in _NUMBERS else "TEXT"


_FTS = "content='', tokenize='porter unicode61 remove_diacritics 2'"

TABLE_STATEMENTS = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    """CREATE TABLE files (
        path TEXT PRIMARY KEY, blob TEXT NOT NULL,
        size INTEGER, mtime_ns INTEGER, inode INTEGER) WITHOUT ROWID""",
    """CREATE TABLE broken (
        path TEXT PRIMARY KEY, blob TEXT NOT NULL, problem TEXT NOT NULL, line INTEGER
        ) WITHOUT ROWID""",
    """CREATE TABLE arrivals (
        id TEXT NOT NULL, recipient_fold TEXT NOT NULL, date INTEGER NOT NULL,
        "commit" TEXT NOT NULL, author TEXT NOT NULL, time INTEGER NOT NULL,
        gone INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (id, recipient_fold)) WITHOUT ROWID""",
    _table("deliveries", "row INTEGER PRIMARY KEY", DELIVERY_COLUMNS),
    "CREATE INDEX deliveries_id ON deliveries (id, recipient_fold)",
    "CREATE INDEX deliveries_text ON deliveries (text_row)",
    """CREATE TABLE mailboxes (
        recipient_fold TEXT PRIMARY KEY, letters INTEGER NOT NULL, unread INTEGER NOT NULL
        ) WITHOUT ROWID""",
    """CREATE TRIGGER delivery_in AFTER INSERT ON deliveries BEGIN
        INSERT INTO mailboxes VALUES (NEW.recipient_fold, 1, NEW.read_at IS NULL)
        ON CONFLICT (recipient_fold) DO UPDATE
        SET letters = letters + 1, unread = unread + (NEW.read_at IS NULL);
        UPDATE arrivals SET gone = 0
        WHERE id = NEW.id AND recipient_fold = NEW.recipient_fold AND gone = 1; END""",
    """CREATE TRIGGER delivery_out AFTER DELETE ON deliveries BEGIN
        UPDATE mailboxes SET letters = letters - 1, unread = unread - (OLD.read_at IS NULL)
        WHERE recipient_fold = OLD.recipient_fold;
        UPDATE arrivals SET gone = 1
        WHERE id = OLD.id AND recipient_fold = OLD.recipient_fold AND NOT EXISTS (
            SELECT 1 FROM deliveries
            WHERE id = OLD.id AND recipient_fold = OLD.recipient_fold); END""",
    """CREATE TABLE texts (
        row INTEGER PRIMARY KEY, id TEXT NOT NULL, digest BLOB NOT NULL,
        subject TEXT NOT NULL, text TEXT NOT NULL, UNIQUE (id, digest))""",
    f"CREATE VIRTUAL TABLE texts_fts USING fts5 (subject, text, {_FTS})",
    _table("agents", "row INTEGER PRIMARY KEY", AGENT_COLUMNS),
    _table("memories", "row INTEGER PRIMARY KEY", MEMORY_COLUMNS),
    "CREATE TABLE memory_numbers (number INTEGER PRIMARY KEY)",
    """CREATE TABLE memory_events (
        row INTEGER PRIMARY KEY, number INTEGER NOT NULL, "commit" TEXT NOT NULL,
        author TEXT NOT NULL, time INTEGER NOT NULL, what TEXT NOT NULL,
        UNIQUE (number, "commit"))""",
    f"CREATE VIRTUAL TABLE memories_fts USING fts5 (title, text, tags, more, {_FTS})",
    _table("reservations", "row INTEGER PRIMARY KEY", RESERVATION_COLUMNS),
)

INDEX_STATEMENTS = (
    "CREATE INDEX arrivals_date ON arrivals (date)",
    "CREATE INDEX arrivals_gone ON arrivals (recipient_fold, date, id) WHERE gone = 1",
    'CREATE INDEX arrivals_commit ON arrivals ("commit")',
    "CREATE INDEX deliveries_mailbox ON deliveries (recipient_fold, date, id)",
    """CREATE INDEX deliveries_open ON deliveries (recipient_fold, archived, date, id, expires)
        WHERE handled = 0""",
    """CREATE INDEX deliveries_lapsing ON deliveries (recipient_fold, date, id, expires)
        WHERE handled = 0 AND expires IS NOT NULL""",
    """CREATE INDEX deliveries_unread ON deliveries (recipient_fold, date, id)
        WHERE read_at IS NULL""",
    """CREATE INDEX deliveries_urgent ON deliveries (recipient_fold, date, id)
        WHERE importance IN ('high', 'urgent')""",
    "CREATE INDEX deliveries_sent ON deliveries (sender_fold, date, id, recipient_fold)",
    "CREATE INDEX deliveries_pair ON deliveries (sender_fold, recipient_fold, date, id)",
    """CREATE INDEX deliveries_thread ON deliveries (thread, date, id)
        WHERE thread IS NOT NULL""",
    """CREATE INDEX deliveries_topic ON deliveries (topic_fold, date, id)
        WHERE topic_fold IS NOT NULL""",
    """CREATE INDEX deliveries_mailbox_topic ON deliveries (recipient_fold, topic_fold, date, id)
        WHERE topic_fold IS NOT NULL""",
    """CREATE INDEX deliveries_reply ON deliveries (reply_to, date, id)
        WHERE reply_to IS NOT NULL""",
    """CREATE INDEX deliveries_request ON deliveries (sender_fold, request_id)
        WHERE request_id IS NOT NULL""",
    "CREATE INDEX deliveries_rings ON deliveries (date) WHERE rings = 1",
    "CREATE INDEX agents_fold ON agents (fold, path)",
    "CREATE INDEX agents_id ON agents (id)",
    "CREATE INDEX memories_number ON memories (number)",
    "CREATE INDEX memories_text ON memories (text_digest)",
    "CREATE INDEX memories_created ON memories (live, created_at, number)",
    "CREATE INDEX reservations_id ON reservations (id)",
    "CREATE INDEX reservations_holder ON reservations (holder_fold)",
)
"""What only questions need: made once the tables are filled, which is several times faster."""

TABLES = frozenset(
    {
        "meta",
        "files",
        "broken",
        "arrivals",
        "deliveries",
        "mailboxes",
        "texts",
        "texts_fts",
        "agents",
        "memories",
        "memory_numbers",
        "memory_events",
        "memories_fts",
        "reservations",
    }
)
"""What an index must hold to be used at all."""
