"""What a sequence of commits leaves in the index, whatever way it came there."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from index_world import (
    History,
    a_letter,
    a_memory,
    agent_file,
    an_agent,
    at,
    blob_of,
    hex_id,
    letter_file,
    memory_file,
)

from gitmail.index.agents import agent_by_name
from gitmail.index.apply import AppliedCommit, FileChange, apply, needs_data, reconcile
from gitmail.index.dump import dump
from gitmail.index.index import Index
from gitmail.index.letters import deliveries_of, delivery, is_known, letter, newest_date
from gitmail.index.mailbox import pending, removed, waiting_count
from gitmail.index.memories import memory, newest_number, number_was_used
from gitmail.index.search import search_letters
from gitmail.index.tree import Stamp, broken_files, files_below, set_stamps
from gitmail.values.letter import Marks

OWNER = "GreenCastle"
ACKED = Marks(at(50), at(60), at(60))


def test_a_letter_moved_to_the_archive_keeps_the_commit_that_brought_it(index: Index) -> None:
    history = History()
    one = a_letter(1)
    inbox, data = letter_file(one, OWNER)
    brought = history.commit({inbox: data})
    archived, marked = letter_file(one, OWNER, ACKED, archived=True)
    history.commit({archived: marked, inbox: None}, author=OWNER)
    history.apply_to(index)
    row = delivery(index, one.id, OWNER)
    assert row is not None
    assert (row.commit, row.author, row.archived, row.path) == (brought, "BlueLake", True, archived)
    assert row.delivery.marks == ACKED
    assert not row.duplicate


def test_the_order_of_changes_within_a_commit_makes_no_difference(tmp_path: Path) -> None:
    one, two = a_letter(1), a_letter(2)
    inbox, data = letter_file(one, OWNER)
    archived, marked = letter_file(one, OWNER, ACKED, archived=True)
    first = AppliedCommit("a" * 40, "BlueLake", 1, "mail: x\n")
    second = AppliedCommit("b" * 40, OWNER, 2, "ack: x\n")
    changes = [
        FileChange(inbox, blob_of(data), None, None),
        FileChange(archived, None, blob_of(marked), marked),
        *(FileChange(path, None, blob_of(new), new) for path, new in [letter_file(two, "RedHill")]),
    ]
    dumps = set()
    for number, order in enumerate(permutations(changes)):
        folder = tmp_path / str(number)
        folder.mkdir()
        index = Index.create(folder / "index.sqlite")
        with index.writing():
            apply(index, first, [FileChange(inbox, None, blob_of(data), data)])
            apply(index, second, order)
        dumps.add(tuple(dump(index)))
        index.close()
    assert len(dumps) == 1


def test_a_letter_put_back_after_its_removal_arrived_the_first_time(index: Index) -> None:
    history = History()
    path, data = letter_file(a_letter(1), OWNER)
    brought = history.commit({path: data})
    history.commit({path: None}, author="Maintainer1")
    history.apply_to(index)
    assert delivery(index, hex_id(1), OWNER) is None
    assert is_known(index, hex_id(1), "greencastle")
    assert is_known(index, hex_id(1))
    assert not is_known(index, hex_id(1), "RedHill")
    assert not is_known(index, hex_id(2))
    assert removed(index, OWNER) == [(hex_id(1), at(1))]
    assert newest_date(index) == at(1)
    history.commit({path: data}, author="Maintainer1")
    history.apply_to(index, 2)
    row = delivery(index, hex_id(1), OWNER)
    assert row is not None
    assert (row.commit, row.author) == (brought, "BlueLake")
    assert removed(index, OWNER) == []


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_branches_that_brought_one_letter_the_earlier_counts(
    index: Index, order: tuple[int, int]
) -> None:
    path, data = letter_file(a_letter(1), OWNER)
    branches = [
        AppliedCommit("b" * 40, "BlueLake", 100, "mail: x\n"),
        AppliedCommit("a" * 40, "RedHill", 200, "mail: x\n"),
    ]
    with index.writing():
        for place in order:
            apply(index, branches[place], [FileChange(path, None, blob_of(data), data)])
    row = delivery(index, hex_id(1), OWNER)
    assert row is not None
    assert row.author == "BlueLake"


def test_two_files_of_one_letter_in_a_mailbox_are_both_listed_and_flagged(index: Index) -> None:
    history = History()
    one = a_letter(1)
    history.commit([letter_file(one, OWNER)])
    history.commit([letter_file(one, OWNER, ACKED, archived=True)])
    history.apply_to(index)
    rows = deliveries_of(index, one.id)
    assert [(row.archived, row.duplicate) for row in rows] == [(True, True), (False, True)]
    found = delivery(index, one.id, OWNER)
    assert found is not None
    assert found.archived


def test_the_copies_of_one_letter_share_one_searchable_text(index: Index) -> None:
    history = History()
    one = a_letter(1, to=("GreenCastle", "RedHill"))
    history.commit([letter_file(one, name) for name in ("GreenCastle", "RedHill")])
    history.apply_to(index)
    assert index.value("SELECT count(*) FROM texts") == 1
    assert [hit.letter.letter.id for hit in search_letters(index, "POL-1")] == [one.id]
    found = letter(index, one.id)
    assert found is not None
    assert [row.delivery.recipient for row in found.deliveries] == ["GreenCastle", "RedHill"]
    history.commit({letter_file(one, "RedHill")[0]: None})
    history.apply_to(index, 1)
    assert len(search_letters(index, "POL-1")) == 1
    history.commit({letter_file(one, "GreenCastle")[0]: None})
    history.apply_to(index, 2)
    assert search_letters(index, "POL-1") == []
    assert index.value("SELECT count(*) FROM texts") == 0


def test_letters_of_one_microsecond_keep_their_texts_apart(index: Index) -> None:
    history = History()
    for number in range(40):
        same = a_letter(number, id=f"{number % 2:02x}" + hex_id(number)[2:], date=at(0))
        history.commit([letter_file(same, OWNER)])
    history.apply_to(index)
    assert len(search_letters(index, "POL-7")) == 1
    assert len(pending(index, OWNER, at(1))) == 40


BROKEN = {
    "mail/GreenCastle/inbox/20261130T200102Z-3f9a1c22-bad.md": b"no header at all\n",
    "agents/RedHill.md": b"---\nname: RedHill\nname: RedHill\n---\n",
    "memories/00xx/0007-broken.md": b"---\nnumber: 7\n<<<<<<< ours\n---\n\ntext\n",
    "reservations/7c1e90ab-src.md": b"\xff\xfe",
}


def test_broken_files_are_named_and_hide_no_other(index: Index) -> None:
    history = History()
    good = [letter_file(a_letter(1), OWNER), agent_file(an_agent("BlueLake"))]
    history.commit({**BROKEN, **dict(good)})
    history.apply_to(index)
    found = broken_files(index)
    assert [row.path for row in found] == sorted(BROKEN)
    assert all(row.problem for row in found)
    assert [row.path for row in broken_files(index, "agents/")] == ["agents/RedHill.md"]
    assert waiting_count(index, OWNER, at(10)) == 1
    assert agent_by_name(index, "bluelake") is not None
    assert newest_number(index) == 7, "the number of a broken note is used all the same"

    history.commit(dict.fromkeys(BROKEN))
    history.apply_to(index, 1)
    assert broken_files(index) == []


def test_a_broken_file_that_is_mended_is_broken_no_more(index: Index) -> None:
    history = History()
    path, data = agent_file(an_agent("RedHill"))
    for content in (data, b"---\nname: [\n---\n", data):
        history.commit({path: content})
        history.apply_to(index, len(history.commits) - 1)
        assert (agent_by_name(index, "RedHill") is None) == bool(broken_files(index))
    assert broken_files(index) == []


@pytest.mark.parametrize(
    "path",
    [
        "mail/GreenCastle/inbox/caf\udce9.md",
        "mail/GreenCastle/inbox/\udcff.md",
        "notes/\udcff",
        "elsewhere",
        "memories/9999999999999999999999xx/999999999999999999999999-x.md",
    ],
)
def test_no_file_name_stops_the_index(index: Index, path: str) -> None:
    history = History()
    _, data = letter_file(a_letter(1), OWNER)
    history.commit({path: data, **dict([letter_file(a_letter(2), OWNER)])})
    history.apply_to(index)
    assert index.blobs([path, "missing"]) == {path: blob_of(data)}
    assert waiting_count(index, OWNER, at(10)) == 1
    assert newest_number(index) == 0
    history.commit({path: None})
    history.apply_to(index, 1)
    assert index.blobs([path]) == {}


@pytest.mark.parametrize(
    ("key", "value"),
    [("subject", '"\\ud800"'), ("topic", '"a\\udc00b"'), ("wake", '{decision: "\\ud800"}')],
)
def test_half_a_character_in_a_header_is_a_fault_of_that_file_only(
    index: Index, key: str, value: str
) -> None:
    history = History()
    path, data = letter_file(a_letter(1), OWNER)
    lines = [line for line in data.split(b"\n") if not line.startswith(key.encode() + b":")]
    lines.insert(1, f"{key}: {value}".encode())
    history.commit({path: b"\n".join(lines), **dict([letter_file(a_letter(2), OWNER)])})
    history.apply_to(index)
    assert waiting_count(index, OWNER, at(10)) + len(broken_files(index)) == 2


def test_an_authors_name_of_any_bytes_is_kept(index: Index) -> None:
    history = History()
    history.commit([letter_file(a_letter(1), OWNER)], author="Pat\udcff \0 \U0001f642")
    history.apply_to(index)
    row = delivery(index, hex_id(1), OWNER)
    assert row is not None
    assert row.author.startswith("Pat")


def test_memory_numbers_are_used_for_good(index: Index) -> None:
    history = History()
    path, data = memory_file(a_memory(3))
    history.commit({path: data}, message="memory: BlueLake stored #3 x\n\nMemory-Id: 3\n")
    history.commit({path: None})
    history.commit(
        {}, message="undo: x\n\nMemory-Id: 12\nMemory-Id: x\nMemory-Id: 99999999999999999999\n"
    )
    history.apply_to(index)
    assert memory(index, 3) is None
    assert newest_number(index) == 12
    assert [number_was_used(index, number) for number in (2, 3, 12)] == [False, True, True]


def test_a_note_that_is_retired_and_reinstated_is_one_note(index: Index) -> None:
    history = History()
    live_path, live = memory_file(a_memory(3))
    retired = a_memory(3, superseded_by=5, superseded_at=at(9))
    old_path, old = memory_file(retired, superseded=True)
    history.commit({live_path: live})
    history.commit({live_path: None, old_path: old})
    history.apply_to(index)
    row = memory(index, 3)
    assert row is not None
    assert (row.live, row.memory) == (False, retired)
    history.commit({old_path: None, live_path: live})
    history.apply_to(index, 2)
    row = memory(index, 3)
    assert row is not None
    assert (row.live, row.memory) == (True, a_memory(3))


def test_reconcile_sets_what_a_silent_merge_decided(index: Index, tmp_path: Path) -> None:
    ours, theirs = an_agent("BlueLake", task="ours"), an_agent("BlueLake", task="theirs")
    path, data = agent_file(an_agent("BlueLake"))
    history = History()
    history.commit({path: data})
    history.commit({path: agent_file(ours)[1]})
    history.commit({path: agent_file(theirs)[1]})  # the other branch, walked last
    history.apply_to(index)
    final = agent_file(ours)[1]
    with index.writing():
        reconcile(index, [FileChange(path, blob_of(data), blob_of(final), final)])
    row = agent_by_name(index, "BlueLake")
    assert row is not None
    assert (row.agent.task, row.blob) == ("ours", blob_of(final))
    with index.writing():
        reconcile(index, [FileChange(path, blob_of(data), None, None)])
    assert agent_by_name(index, "BlueLake") is None
    assert index.blobs([path]) == {}


def test_content_that_was_not_read_leaves_the_path_as_it_was_until_it_is(index: Index) -> None:
    history = History()
    path, data = letter_file(a_letter(1), OWNER)
    history.commit({path: data})
    history.apply_to(index)
    _, marked = letter_file(a_letter(1), OWNER, Marks(at(5)))
    skipped = FileChange(path, blob_of(data), blob_of(marked), None)
    with index.writing():
        apply(index, AppliedCommit("c" * 40, OWNER, 5, "receive: x\n"), [skipped])
    assert index.blobs([path]) == {path: blob_of(data)}
    with index.writing():
        reconcile(index, [replace(skipped, data=marked)])
    row = delivery(index, hex_id(1), OWNER)
    assert row is not None
    assert row.delivery.marks.first_read_at == at(5)


def test_only_files_with_a_record_need_their_content() -> None:
    assert needs_data("agents/BlueLake.md")
    assert not any(map(needs_data, ["README.md", "mail/BlueLake/inbox/.keep", "x/y"]))


def test_what_the_disk_said_of_a_file_is_void_once_its_blob_changes(index: Index) -> None:
    history = History()
    path, data = agent_file(an_agent("BlueLake"))
    history.commit({path: data, "README.md": b"x\n"})
    history.apply_to(index)
    stamp = Stamp(10, 20, 30)
    set_stamps(index, [(path, "0" * 40, stamp), ("README.md", blob_of(b"x\n"), stamp)])
    assert [one.stamp for one in files_below(index)] == [stamp, None]
    history.commit({"README.md": b"y\n"})
    history.apply_to(index, 1)
    assert [one.stamp for one in files_below(index, "READ")] == [None]
