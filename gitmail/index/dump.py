"""The whole index as text, the same however it came to be: what `doctor` compares.

Row numbers and what the disk said of files are left out; they are nobody's answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from gitmail.index.index import Index
from gitmail.index.schema import (
    AGENT_COLUMNS,
    DELIVERY_COLUMNS,
    MEMORY_COLUMNS,
    RESERVATION_COLUMNS,
    column_list,
)

_TABLES: dict[str, tuple[tuple[str, ...], str]] = {
    "meta": (("key", "value"), "key"),
    "files": (("path", "blob"), "path"),
    "broken": (("path", "blob", "problem", "line"), "path"),
    "arrivals": (
        ("id", "recipient_fold", "date", "commit", "author", "time", "gone"),
        "id, recipient_fold",
    ),
    "deliveries": (DELIVERY_COLUMNS[:-1], "path"),
    "mailboxes": (("recipient_fold", "letters", "unread"), "recipient_fold"),
    "texts": (("id", "digest", "subject", "text"), "id, digest"),
    "agents": (AGENT_COLUMNS, "path"),
    "memories": (MEMORY_COLUMNS, "path"),
    "memory_numbers": (("number",), "number"),
    "memory_events": (("number", "commit", "author", "time", "what"), 'number, "commit"'),
    "reservations": (RESERVATION_COLUMNS, "path"),
}


def dump(index: Index) -> Iterator[str]:
    """Yield one line per row, `table` and a JSON list, in the order of tables and keys."""
    for table, (columns, key) in _TABLES.items():
        where = " WHERE letters > 0" if table == "mailboxes" else ""
        sql = f"SELECT {column_list(columns)} FROM {table}{where} ORDER BY {key}"  # noqa: S608
        for row in index.each(sql):
            values = [value.hex() if isinstance(value, bytes) else value for value in row]
            yield f"{table} {json.dumps(values, ensure_ascii=False)}"
