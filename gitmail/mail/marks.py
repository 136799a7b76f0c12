"""The owner's marks on deliveries, and the move to the archive that follows from them.

Marks are spliced in before the closing fence; what was sent stays byte for byte. A letter that is
handled with them moves to archive/ under the date it was sent (contract: one mailbox, marks).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from gitmail.format.letters import add_marks
from gitmail.index.rows import DeliveryRow
from gitmail.store.view import View
from gitmail.values.letter import Delivery
from gitmail.values.paths import archive_path

READ = ("first_read_at", "read_at")
ACKNOWLEDGED = ("first_read_at", "read_at", "acknowledged_at")


def marking(
    view: View, rows: Iterable[DeliveryRow], keys: tuple[str, ...], when: datetime
) -> dict[str, bytes | None]:
    """Return the file changes that set those of `keys` which a delivery does not have yet."""
    files: dict[str, bytes | None] = {}
    for row in rows:
        missing = {key: when for key in keys if getattr(row.delivery.marks, key) is None}
        if missing:
            files.update(_marked(view, row, missing))
    return files


def marked(delivery: Delivery, keys: tuple[str, ...], when: datetime) -> Delivery:
    """Return the delivery as it is after `marking`."""
    missing = {key: when for key in keys if getattr(delivery.marks, key) is None}
    return replace(delivery, marks=replace(delivery.marks, **missing))


def _marked(
    view: View, row: DeliveryRow, missing: Mapping[str, datetime]
) -> dict[str, bytes | None]:
    data = add_marks(view.content(row.path, row.blob), row.path, missing)
    after = marked(row.delivery, tuple(missing), next(iter(missing.values())))
    if row.archived or not after.handled:
        return {row.path: data}
    owner_folder, _, file = row.path.rpartition("/inbox/")
    retired = owner_folder.startswith("mail/retired/")
    target = archive_path(row.delivery.recipient, row.letter.date, file, retired)
    return {row.path: None, target: data}
