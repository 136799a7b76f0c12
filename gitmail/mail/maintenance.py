"""Keeping a store small: old letters put away, displaced files settled, objects packed.

Nothing here changes what a letter says or whether it was handled. A server runs `tidy` when it is
idle, a person with `gitmail maintain` (contract: send, limits; docs/architecture.md, packing).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from gitmail.board.caller import Caller
from gitmail.errors import Refused
from gitmail.git.commits import Person
from gitmail.git.maintain import Packing, pack_loose
from gitmail.index.agents import all_agents
from gitmail.index.mailbox import expired, pending
from gitmail.index.rows import DeliveryRow
from gitmail.mail.references import find_agent
from gitmail.mail.waking import is_maintainer
from gitmail.store.change import Change, NoChange
from gitmail.store.edits import adopt_edits
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values import sentences
from gitmail.values.names import fold
from gitmail.values.paths import archive_path

EXPIRED_KEPT = timedelta(days=7)
"""How long a letter that expired unhandled stays in its inbox."""
AT_ONCE = 500
"""Most letters put away in one commit."""


@dataclass(frozen=True, slots=True)
class Tidied:
    """What one maintenance run did."""

    archived: int
    packing: Packing


def tidy(
    store: Store, seconds: float = 2.0, progress: Callable[[str], None] = lambda _: None
) -> Tidied:
    """Put away long-expired letters of every mailbox, settle edits, pack for about `seconds`.

    Raises StoreBusy, StoreUnavailable.
    """
    progress("settling what people edited")
    adopt_edits(store)
    progress("putting away letters that expired long ago")
    names = store.read(lambda view: [row.agent.name for row in all_agents(view.index)])
    archived = sum(_archive_expired(store, name) for name in names)
    progress("packing")
    return Tidied(archived, pack_loose(store.git_dir, seconds))


def archive_older(store: Store, caller: Caller, owner: str, age: timedelta) -> int:
    """Put away what waits in a mailbox and is older than `age`, as it is; returns how many.

    For a mailbox that nobody reads: its owner may, and a maintainer. Raises Refused
    `not_authorized`, NotFound `agent_not_found`.
    """

    def rows(view: View) -> list[DeliveryRow]:
        agent = find_agent(view, owner)
        mine = fold(agent.name) == fold(caller.name)
        if not mine and not (caller.person and is_maintainer(view.config, caller.name)):
            raise Refused(
                "not_authorized",
                f"{caller.name} is neither {agent.name} nor a maintainer.",
                "Ask a maintainer; gitmail.toml lists them.",
            )
        found = pending(view.index, agent.name, view.now, limit=AT_ONCE)
        return [row for row in found if row.letter.date <= view.now - age]

    total = 0
    while count := _archive(store, caller.author, rows):
        total += count
    return total


def _archive_expired(store: Store, name: str) -> int:
    def rows(view: View) -> list[DeliveryRow]:
        found = expired(view.index, name, view.now, limit=AT_ONCE)
        return [row for row in found if _lapsed_before(row, view.now - EXPIRED_KEPT)]

    if not store.read(rows):
        return 0
    return _archive(store, store.committer, rows)


def _lapsed_before(row: DeliveryRow, limit: datetime) -> bool:
    return row.letter.expires is not None and row.letter.expires <= limit


def _archive(store: Store, author: Person, find: Callable[[View], list[DeliveryRow]]) -> int:
    def decide(view: View) -> Change[int] | NoChange[int]:
        rows = find(view)
        if not rows:
            return NoChange(0)
        files: dict[str, bytes | None] = {}
        for row in rows:
            folder, _, file = row.path.rpartition("/inbox/")
            retired = folder.startswith("mail/retired/")
            target = archive_path(row.delivery.recipient, row.letter.date, file, retired)
            files[row.path] = None
            files[target] = view.content(row.path, row.blob)
        refs = [(row.letter.id, row.letter.subject) for row in rows]
        return Change(files, sentences.archived(rows[0].delivery.recipient, refs), len(rows))

    return store.write(author, decide).result
