"""Every question about mail against a plain list of letters, over random histories."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from index_world import History, at, hex_id, letter_file

from gitmail.index.dump import dump
from gitmail.index.index import Index
from gitmail.index.letters import (
    deliveries_of,
    delivery,
    history,
    letter_ids,
    newest_date,
    place_of,
    replies,
    request,
    requests_since,
    rings,
    sent,
    thread,
    topic,
)
from gitmail.index.mailbox import (
    expired,
    expired_count,
    inbox,
    mailbox_size,
    owners,
    pending,
    queue,
    removed,
    waiting_count,
)
from gitmail.index.rows import DeliveryRow, Place
from gitmail.values.letter import Delivery, Letter, Marks
from gitmail.values.names import fold
from gitmail.values.paths import classify

NAMES = ("BlueLake", "GreenCastle", "RedHill")
NOW = at(30)

letters = st.builds(
    lambda number, sender, to, seconds, expires, **more: Letter(
        id=hex_id(number),
        sender=sender,
        to=tuple(sorted(to)),
        subject=f"Letter {number}",
        date=at(seconds),
        text=f"text {number}",
        expires=None if expires is None else at(expires),
        request=f"asked {number}",
        **more,
    ),
    number=st.integers(0, 10**6),
    sender=st.sampled_from(NAMES),
    to=st.sets(st.sampled_from(NAMES), min_size=1),
    seconds=st.integers(0, 30),
    expires=st.sampled_from([None, None, 20, 40]),
    thread=st.sampled_from([None, "FEAT-1", hex_id(1), hex_id(2)]),
    topic=st.sampled_from([None, "Builds", "builds", "other"]),
    reply_to=st.sampled_from([None, hex_id(1), hex_id(2)]),
    importance=st.sampled_from(["normal", "high", "urgent"]),
    ack_required=st.booleans(),
    request_id=st.sampled_from([None, "r1", "r2"]),
    wake=st.sampled_from([{}, {"decision": "rung"}, {"decision": "withheld"}]),
)


@dataclass
class Model:
    """The files of the tree, and for each delivery the commit that brought it."""

    past: History = field(default_factory=History)
    files: dict[str, Delivery] = field(default_factory=dict)
    brought: dict[tuple[str, str], tuple[str, Letter]] = field(default_factory=dict)

    def commit(self, changes: dict[str, Delivery | None], author: str) -> None:
        data = {}
        for path, one in changes.items():
            data[path] = None if one is None else file_of(one)
        commit = self.past.commit(data, author)
        for path, one in changes.items():
            if one is None:
                self.files.pop(path, None)
            else:
                self.files[path] = one
                key = (one.letter.id, fold(one.recipient))
                self.brought.setdefault(key, (commit, one.letter))

    def of(self, owner: str) -> list[Delivery]:
        return in_order(one for one in self.files.values() if one.recipient == owner)


def file_of(one: Delivery) -> bytes:
    archived = "/archive/" in one.path
    return letter_file(one.letter, one.recipient, one.marks, archived=archived)[1]


def in_order(found: Iterator[Delivery]) -> list[Delivery]:
    return sorted(found, key=lambda one: (one.letter.date, one.letter.id, fold(one.recipient)))


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Send, mark, move, remove and put back, in any order; a few commits merge several of them."""
    model = Model()
    gone: list[Delivery] = []
    for letter in draw(st.lists(letters, max_size=8, unique_by=lambda one: one.id)):
        changes: dict[str, Delivery | None] = {}
        for name in letter.to:
            path, _ = letter_file(letter, name)
            changes[path] = Delivery(letter, name, Marks(), path)
        model.commit(changes, letter.sender)
        for _ in range(draw(st.integers(0, 3))):
            step(draw, model, gone)
    return model


def step(draw: st.DrawFn, model: Model, gone: list[Delivery]) -> None:
    action = draw(st.sampled_from(["first", "read", "ack", "archive", "remove", "restore"]))
    if action == "restore" and gone:
        one = gone.pop()
        model.commit({one.path: one}, "RedHill")
        return
    if not model.files:
        return
    path = draw(st.sampled_from(sorted(model.files)))
    one = model.files[path]
    if action == "remove":
        gone.append(one)
        model.commit({path: None}, "RedHill")
        return
    when, marks = at(draw(st.integers(31, 60))), one.marks
    if action == "first":
        marks = Marks(marks.first_read_at or when, marks.read_at, marks.acknowledged_at)
    elif action == "read":
        marks = Marks(marks.first_read_at, marks.read_at or when, marks.acknowledged_at)
    elif action == "ack":
        marks = Marks(marks.first_read_at, marks.read_at or when, marks.acknowledged_at or when)
    done = Delivery(one.letter, one.recipient, marks, path)
    archived = done.handled or action == "archive" or "/archive/" in path
    new_path, _ = letter_file(one.letter, one.recipient, archived=archived)
    changes: dict[str, Delivery | None] = {} if new_path == path else {path: None}
    changes[new_path] = Delivery(one.letter, one.recipient, marks, new_path)
    model.commit(changes, one.recipient)


@contextmanager
def kept(model: Model) -> Iterator[Index]:
    with tempfile.TemporaryDirectory() as folder:
        index = model.past.rebuilt(Path(folder))
        try:
            yield index
        finally:
            index.close()


def waits(one: Delivery) -> bool:
    return one.pending(NOW) and "/inbox/" in one.path


def keys(rows: list[DeliveryRow] | tuple[DeliveryRow, ...]) -> list[tuple[str, str]]:
    return [(row.letter.id, row.delivery.recipient) for row in rows]


def keys_of(found: list[Delivery]) -> list[tuple[str, str]]:
    return [(one.letter.id, one.recipient) for one in found]


@settings(max_examples=30, deadline=None)
@given(models(), st.lists(st.integers(1, 4), max_size=12))
def test_an_index_that_was_kept_equals_one_that_was_rebuilt(model: Model, steps: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        live = Index.create(Path(folder) / "index.sqlite")
        done = 0
        for size in [*steps, len(model.past.commits)]:
            part = History(commits=model.past.commits[done : done + size])
            with live.writing():
                part.apply_to(live)
            done += size
        with kept(model) as rebuilt:
            assert list(dump(live)) == list(dump(rebuilt))
            blobs = {row.path: row.blob for row in deliveries_of_all(rebuilt)}
            assert blobs.keys() == model.files.keys()
        live.close()


def deliveries_of_all(index: Index) -> list[DeliveryRow]:
    return [row for one in letter_ids(index, "", limit=1000) for row in deliveries_of(index, one)]


@settings(max_examples=30, deadline=None)
@given(models(), st.sampled_from(NAMES), st.integers(1, 4))
def test_what_waits_and_what_lapsed(model: Model, owner: str, page: int) -> None:
    mine = model.of(owner)
    waiting = [one for one in mine if waits(one)]
    lapsed = [one for one in mine if not one.handled and one.expired(NOW)]
    with kept(model) as index:
        assert keys(pending(index, owner.upper(), NOW)) == keys_of(waiting)
        assert waiting_count(index, owner, NOW) == len(waiting)
        filled = queue(index, owner, NOW)
        expiring = sum(one.letter.expires is not None for one in waiting)
        assert (filled.expiring, filled.unhandled) == (expiring, len(waiting))
        pages: list[DeliveryRow] = []
        while more := pending(
            index, owner, NOW, after=place_of(pages[-1]) if pages else None, limit=page
        ):
            pages += more
        assert keys(pages) == keys_of(waiting)
        ringing = [one for one in waiting if one.letter.wake.get("decision") == "rung"]
        assert keys(pending(index, owner, NOW, rings_only=True)) == keys_of(ringing)
        for folders in (False, True):
            shown = [one for one in lapsed if folders or "/inbox/" in one.path]
            assert keys(expired(index, owner, NOW, with_archived=folders)) == keys_of(shown)
            assert expired_count(index, owner, NOW, with_archived=folders) == len(shown)
        in_inbox = sum("/inbox/" in one.path and not one.handled for one in mine)
        assert in_inbox == len(waiting) + expired_count(index, owner, NOW)


@settings(max_examples=30, deadline=None)
@given(models(), st.sampled_from(NAMES), st.data())
def test_the_commits_that_brought_letters_split_what_waits(
    model: Model, owner: str, data: st.DataObject
) -> None:
    commits = [commit.sha for commit, _ in model.past.commits]
    some = set(data.draw(st.lists(st.sampled_from(commits)))) if commits else set()
    waiting = [one for one in model.of(owner) if waits(one)]
    came = {key: commit for key, (commit, _) in model.brought.items()}
    inside = [one for one in waiting if came[one.letter.id, fold(owner)] in some]
    outside = [one for one in waiting if one not in inside]
    with kept(model) as index:
        assert keys(pending(index, owner, NOW, arrived_in=some)) == keys_of(inside)
        assert keys(pending(index, owner, NOW, not_arrived_in=some)) == keys_of(outside)
        for one in model.files.values():
            row = delivery(index, one.letter.id, one.recipient)
            assert row is not None
            assert row.commit == came[one.letter.id, fold(one.recipient)]
            assert row.delivery.marks == one.marks
            assert row.waits == ("/inbox/" in one.path and not one.handled)


@settings(max_examples=30, deadline=None)
@given(
    models(),
    st.sampled_from(NAMES),
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, 10, 20]),
    st.sampled_from([None, "BUILDS", "none"]),
    st.integers(1, 5),
)
def test_the_inbox_and_its_counts(
    model: Model,
    owner: str,
    unread_only: bool,
    urgent_only: bool,
    since: int | None,
    name: str | None,
    limit: int,
) -> None:
    found = [
        one
        for one in reversed(model.of(owner))
        if (not urgent_only or one.letter.importance in ("high", "urgent"))
        and (since is None or one.letter.date > at(since))
        and (name is None or (one.letter.topic or "").casefold() == name.casefold())
    ]
    unread = [one for one in found if one.unread]
    shown = unread if unread_only else found
    with kept(model) as index:
        answer = inbox(
            index,
            owner,
            unread_only=unread_only,
            urgent_only=urgent_only,
            since=None if since is None else at(since),
            topic=name,
            limit=limit,
        )
        assert keys(answer.deliveries) == keys_of(shown[:limit])
        assert (answer.total, answer.unread) == (len(shown), len(unread))
        everything = model.of(owner)
        assert (fold(owner) in owners(index)) == bool(everything)
        assert mailbox_size(index, owner) == (
            len(everything),
            sum(one.unread for one in everything),
        )
        lost = [
            (letter.date, letter.id)
            for (one, fold_of), (_, letter) in model.brought.items()
            if fold_of == fold(owner) and one not in {each.letter.id for each in everything}
        ]
        assert removed(index, owner) == [(one, date) for date, one in sorted(lost)]


@settings(max_examples=30, deadline=None)
@given(
    models(),
    st.sampled_from(NAMES),
    st.sampled_from([None, *NAMES]),
    st.integers(1, 4),
)
def test_history_is_every_copy_sent_or_received(
    model: Model, owner: str, peer: str | None, page: int
) -> None:
    def concerns(one: Delivery) -> bool:
        ends = (one.letter.sender, one.recipient)
        if peer is None:
            return owner in ends
        return ends in ((owner, peer), (peer, owner))

    expected = keys_of(in_order(one for one in model.files.values() if concerns(one)))
    with kept(model) as index:
        forward: list[DeliveryRow] = []
        while more := history(
            index, owner, peer=peer, after=place_of(forward[-1]) if forward else None, limit=page
        ):
            forward += more
        assert keys(forward) == expected
        backward: list[DeliveryRow] = []
        while more := history(
            index,
            owner,
            peer=peer,
            before=place_of(backward[0]) if backward else None,
            limit=page,
            newest=True,
        ):
            backward = more + backward
        assert keys(backward) == expected


@settings(max_examples=30, deadline=None)
@given(models(), st.sampled_from(NAMES))
def test_letters_by_sender_thread_topic_request_and_ring(model: Model, name: str) -> None:
    found = {one.letter.id: one.letter for one in model.files.values()}
    ordered = sorted(found.values(), key=lambda one: (one.date, one.id))
    mine = [one for one in ordered if one.sender == name]

    def ids(some: list[Letter]) -> list[str]:
        return [one.id for one in some]

    with kept(model) as index:
        answer = sent(index, name.lower(), limit=1000)
        assert [row.letter.id for row in answer] == ids(mine)[::-1]
        copies = Counter(one.letter.id for one in model.files.values())
        assert all(len(row.deliveries) == copies[row.letter.id] for row in answer)
        if len(mine) > 1:
            last = mine[-1]
            older = sent(index, name, before=Place(last.date, last.id), limit=1000)
            assert [row.letter.id for row in older] == ids(mine[:-1])[::-1]
        for key in ("FEAT-1", hex_id(1)):
            expected = [one for one in ordered if key in (one.thread, one.id)]
            assert [row.letter.id for row in thread(index, key)] == ids(expected)
        expected = [one for one in ordered if (one.topic or "").casefold() == "builds"]
        assert [row.letter.id for row in topic(index, "bUILDS")] == ids(expected)
        expected = [one for one in ordered if one.reply_to == hex_id(1)]
        assert [row.letter.id for row in replies(index, hex_id(1))] == ids(expected)
        expected = [one for one in mine if one.request_id == "r1"]
        answered = request(index, name, "r1")
        assert (answered and answered.letter.id) == (expected[0].id if expected else None)
        recent = [one for one in mine if one.date > at(10)]
        counted = requests_since(index, name, at(10))
        assert counted.count == len(recent)
        assert counted.oldest == (recent[0].date if recent else None)
        rung = [
            one
            for one in model.files.values()
            if one.letter.wake.get("decision") == "rung" and one.letter.date > at(10)
        ]
        assert rings(index, at(10)) == len(rung)
        assert rings(index, at(10), sender=name) == sum(one.letter.sender == name for one in rung)
        assert rings(index, at(10), recipient=name) == sum(one.recipient == name for one in rung)
        dates = [letter.date for _, letter in model.brought.values()]
        assert newest_date(index) == (max(dates) if dates else None)


@settings(max_examples=30, deadline=None)
@given(models(), st.sampled_from(NAMES), st.integers(0, 3))
def test_ids_by_prefix(model: Model, name: str, length: int) -> None:
    everything = sorted({one.letter.id for one in model.files.values()})
    to_name = sorted({one.letter.id for one in model.of(name)})
    with kept(model) as index:
        for one in [*everything, hex_id(99)]:
            prefix = one[:length]
            match = [other for other in everything if other.startswith(prefix)]
            assert letter_ids(index, prefix) == match
            match = [other for other in to_name if other.startswith(prefix)]
            assert letter_ids(index, prefix, recipient=name.upper()) == match


def test_the_model_uses_only_paths_of_a_store() -> None:
    path, _ = letter_file(Letter(hex_id(1), "BlueLake", ("RedHill",), "x", at(0), "t"), "RedHill")
    assert classify(path).is_letter
