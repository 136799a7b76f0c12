"""Delivering a letter that some program, or a person, put into an inbox (docs/format.md)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from gitmail.errors import BrokenFile
from gitmail.format.checks import check_new_file
from gitmail.format.letters import letter_from_bytes
from gitmail.index.letters import deliveries_of, is_known
from gitmail.store.blobs import blob_id
from gitmail.store.change import Change
from gitmail.store.store import Store
from gitmail.store.tree import TreeChange
from gitmail.store.view import View
from gitmail.store.writing import WriteSession
from gitmail.values import sentences
from gitmail.values.letter import Delivery
from gitmail.values.paths import classify, inbox_path, is_letter_name, letter_file_name
from gitmail.values.rules import letter_changes

CLOCK_AHEAD = timedelta(minutes=10)
"""How far ahead of our clock the date of a letter dropped by hand may be."""


def deliver_dropped(store: Store, session: WriteSession, path: str, data: bytes) -> str:
    """Commit the letter that lies at `path` of an inbox; returns the path it has from now on.

    The committer is its author, so it counts as unverified. Raises BrokenFile with the reason
    when it cannot be delivered.
    """
    owner = classify(path).owner or ""
    delivery = letter_from_bytes(data, path, owner)
    name = path.rpartition("/")[2]
    if not is_letter_name(name):
        name = letter_file_name(delivery.letter)
    target = inbox_path(owner, name)
    for problem in check_new_file(target, data):
        raise BrokenFile(target, problem.removeprefix(f"{target}: "))
    if delivery.letter.date > store.clock() + CLOCK_AHEAD:
        raise BrokenFile(path, "its date lies in the future")
    if _is_another(session.view(), delivery):
        raise BrokenFile(path, "a letter with this id was delivered before")
    seen = {target: blob_id(data)} if target == path else {}
    message = sentences.adopted(owner, delivery.letter)
    session.commit(store.committer, lambda _: Change({target: data}, message, None, on_disk=seen))
    if target != path:
        store.tree.place([TreeChange(path, blob_id(data), None)])
    return target


def _is_another(view: View, dropped: Delivery) -> bool:
    """Tell whether some commit knows the id: in this mailbox, or elsewhere with other words.

    Copies of one letter for several recipients are dropped one by one.
    """
    letter = dropped.letter
    if is_known(view.index, letter.id, dropped.recipient):
        return True
    for copy in deliveries_of(view.index, letter.id)[:1]:
        data = view.content(copy.path, copy.blob)
        other = letter_from_bytes(data, copy.path, copy.delivery.recipient).letter
        same_line = replace(other, kind=letter.kind, wake=letter.wake)
        return bool(letter_changes(same_line, letter))
    return False
