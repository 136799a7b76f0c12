"""Committing what a person saved into a note: joined with what main holds, checked, as theirs."""

from __future__ import annotations

from collections.abc import Mapping

from gitmail.errors import BrokenFile
from gitmail.format.agents import agent_from_bytes
from gitmail.format.checks import check_changed_file, check_new_file
from gitmail.format.memories import memory_from_bytes
from gitmail.git.loose import LooseWriter
from gitmail.index.agents import agent_by_name
from gitmail.index.index import Index
from gitmail.index.memories import memory, number_was_used
from gitmail.store.blobs import blob_id
from gitmail.store.change import Change
from gitmail.store.merge import merge_note
from gitmail.store.store import Store
from gitmail.store.writing import WriteSession
from gitmail.values import sentences
from gitmail.values.memory import NUMBER_LIMIT
from gitmail.values.names import name_from_person
from gitmail.values.paths import Kind, classify


def commit_note(
    store: Store,
    session: WriteSession,
    path: str,
    data: bytes,
    base: str | None,
    on_disk: Mapping[str, str],
) -> bool:
    """Commit a person's save of a note on top of main; False when main says the same already.

    `base` is the blob that the save grew from, `on_disk` what the caller saw on disk where that is
    not what main holds. Raises BrokenFile when the save is unusable.
    """
    index = session.view().index
    ours = index.blobs([path]).get(path)
    if ours is None:
        _refuse_used_number(index, path)
        _refuse_twin(index, path)
    merged = _merged(store, path, data, base, ours)
    if merged != data:
        with LooseWriter(store.git_dir) as writer:  # the next save into the same file builds on it
            writer.add("blob", data)
            writer.flush()
    if blob_id(merged) == ours:
        return False
    person = store.committer
    message = sentences.edited(name_from_person(person.name), [path])
    session.commit(person, lambda _: Change({path: merged}, message, None, on_disk=on_disk))
    return True


def _merged(store: Store, path: str, data: bytes, base: str | None, ours: str | None) -> bytes:
    if ours is None:
        _refuse(check_new_file(path, data), path)
        return data
    before = store.reader.blob(base) if base else None
    current = store.reader.blob(ours)
    merged = merge_note(before, current, data, path) if path.endswith(".md") else data
    _refuse(check_changed_file(path, current, merged), path)
    _refuse_new_identity(path, current, merged)
    return merged


def _refuse(problems: list[str], path: str) -> None:
    if problems:
        raise BrokenFile(path, problems[0].removeprefix(f"{path}: "))


def _refuse_used_number(index: Index, path: str) -> None:
    """Refuse a note that appears under a number of history: most often a late save of a note that
    was replaced while somebody had it open, which would be live twice.
    """
    number = classify(path).number
    if number is None or number > NUMBER_LIMIT or not number_was_used(index, number):
        return
    row = memory(index, number)
    if row is None:
        raise BrokenFile(path, f"note {number} was removed, and its number is not used again")
    if row.live:
        raise BrokenFile(path, f"number {number} belongs to {row.path}")
    by = row.memory.superseded_by
    raise BrokenFile(
        path, f"note {number} has been superseded{f' by {by}' if by else ''} meanwhile"
    )


def _refuse_twin(index: Index, path: str) -> None:
    """Refuse a profile whose name differs from another's only by case."""
    place = classify(path)
    other = agent_by_name(index, place.owner or "") if place.kind is Kind.AGENT else None
    if other is not None:
        raise BrokenFile(path, f"{other.agent.name} has that name already, in another case")


def _refuse_new_identity(path: str, old: bytes, new: bytes) -> None:
    if classify(path).number is not None and _uid(old, path) not in (None, _uid(new, path)):
        raise BrokenFile(path, "the key uid of a note never changes")
    if classify(path).kind is not Kind.AGENT:
        return
    was, now = agent_from_bytes(old, path), agent_from_bytes(new, path)
    if (was.id, was.registered_at) != (now.id, now.registered_at):
        raise BrokenFile(path, "the keys id and registered_at of an agent never change")


def _uid(data: bytes, path: str) -> str | None:
    """Return a note's uid; None for one that cannot be read, which anybody may mend."""
    try:
        return memory_from_bytes(data, path).uid
    except BrokenFile:
        return None
