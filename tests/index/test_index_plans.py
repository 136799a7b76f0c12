"""No question walks a large table, and each costs a fixed number of statements."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from index_world import History, a_letter, a_memory, at, blob_of, hex_id, letter_file, memory_file

from gitmail.index import (
    agents,
    letters,
    mailbox,
    memories,
    memory_search,
    reservations,
    search,
    tree,
)
from gitmail.index.apply import AppliedCommit, FileChange, apply
from gitmail.index.index import Index
from gitmail.index.rows import Place
from gitmail.values.letter import Marks

NOW = at(1000)
HERE = Place(at(5), hex_id(5), "greencastle")
LARGE = ("deliveries", "arrivals", "files", "memories", "texts", "agents", "d", "a", "m", "t")

QUESTIONS: dict[str, Callable[[Index], Any]] = {
    "pending": lambda i: mailbox.pending(i, "GreenCastle", NOW, after=HERE),
    "pending, arrived": lambda i: mailbox.pending(i, "GreenCastle", NOW, not_arrived_in=["x"]),
    "pending, rings": lambda i: mailbox.pending(i, "GreenCastle", NOW, rings_only=True),
    "waiting": lambda i: mailbox.waiting_count(i, "GreenCastle", NOW),
    "queue": lambda i: mailbox.queue(i, "GreenCastle", NOW),
    "expired": lambda i: mailbox.expired(i, "GreenCastle", NOW),
    "expired, all": lambda i: mailbox.expired(i, "GreenCastle", NOW, with_archived=True),
    "expired count": lambda i: mailbox.expired_count(i, "GreenCastle", NOW, after=HERE),
    "inbox": lambda i: mailbox.inbox(i, "GreenCastle"),
    "inbox, unread": lambda i: mailbox.inbox(i, "GreenCastle", unread_only=True),
    "inbox, urgent": lambda i: mailbox.inbox(i, "GreenCastle", urgent_only=True),
    "inbox, since": lambda i: mailbox.inbox(i, "GreenCastle", since=at(900)),
    "inbox, topic": lambda i: mailbox.inbox(i, "GreenCastle", topic="Builds"),
    "removed": lambda i: mailbox.removed(i, "GreenCastle", after=HERE),
    "ids": lambda i: letters.letter_ids(i, "abcdef01"),
    "ids, mailbox": lambda i: letters.letter_ids(i, "abcdef01", recipient="GreenCastle"),
    "letter": lambda i: letters.letter(i, hex_id(1)),
    "deliveries": lambda i: letters.deliveries_of(i, hex_id(1)),
    "delivery": lambda i: letters.delivery(i, hex_id(1), "GreenCastle"),
    "known": lambda i: letters.is_known(i, hex_id(1), "GreenCastle"),
    "sent": lambda i: letters.sent(i, "BlueLake", before=HERE),
    "thread": lambda i: letters.thread(i, "FEAT-1", after=HERE),
    "thread of": lambda i: letters.thread_of(i, hex_id(1)),
    "topic": lambda i: letters.topic(i, "builds"),
    "replies": lambda i: letters.replies(i, hex_id(1)),
    "history": lambda i: letters.history(i, "GreenCastle", after=HERE),
    "history, peer": lambda i: letters.history(i, "GreenCastle", peer="BlueLake", after=HERE),
    "history, newest": lambda i: letters.history(i, "GreenCastle", before=HERE, newest=True),
    "request": lambda i: letters.request(i, "BlueLake", "r1"),
    "requests": lambda i: letters.requests_since(i, "BlueLake", NOW - timedelta(minutes=1)),
    "rings": lambda i: letters.rings(i, NOW - timedelta(hours=1)),
    "rings, sender": lambda i: letters.rings(i, NOW - timedelta(hours=1), sender="BlueLake"),
    "newest": letters.newest_date,
    "search": lambda i: search.search_letters(i, "POL-7 auth"),
    "search, since": lambda i: search.search_letters(i, "src", search.SearchFilter(since=at(900))),
    "search, agent": lambda i: search.search_letters(i, "src", search.SearchFilter("GreenCastle")),
    "agent": lambda i: agents.agent_by_name(i, "BlueLake"),
    "agent ids": lambda i: agents.agents_by_id_prefix(i, "abcdef01"),
    "memory": lambda i: memories.memory(i, 12),
    "memory by text": lambda i: memories.memories_with_text(i, "Staging box is haze-02."),
    "recent memories": memories.recent_memories,
    "search memories": lambda i: memory_search.search_memories(i, "staging POL-7"),
    "newest number": memories.newest_number,
    "reservations": lambda i: reservations.reservations_by_id_prefix(i, "abcdef01"),
    "files": lambda i: tree.files_below(i, "agents/"),
    "broken": lambda i: tree.broken_files(i, "agents/"),
    "blobs": lambda i: i.blobs(["agents/BlueLake.md"]),
    "marker": lambda i: i.marker(),
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Index:
    history = History()
    for number in range(300):
        letter = a_letter(number, topic="Builds" if number % 9 == 0 else None, thread="FEAT-1")
        marks = Marks(at(number), at(number), at(number)) if number < 250 else Marks()
        history.commit([letter_file(letter, "GreenCastle", marks, archived=number < 250)])
    for number in range(1, 100):
        history.commit([memory_file(a_memory(number))])
    return history.rebuilt(tmp_path_factory.mktemp("plans"))


def statements_of(index: Index, question: Callable[[Index], Any]) -> list[str]:
    seen: list[str] = []
    index._connection.set_trace_callback(seen.append)
    question(index)
    index._connection.set_trace_callback(None)
    return [one for one in seen if not one.startswith("--")]  # FTS5's own


def scans(index: Index, statement: str) -> list[str]:
    plan = [row[3] for row in index.rows(f"EXPLAIN QUERY PLAN {statement}")]
    return [step for step in plan if re.fullmatch(rf"SCAN ({'|'.join(LARGE)})\b.*", step)]


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_scans_no_large_table(filled: Index, name: str) -> None:
    found = statements_of(filled, QUESTIONS[name])
    assert found
    # what an index holds only of the newest or the few (rings, newest) may be walked
    assert [step for one in found for step in scans(filled, one)] == []


@pytest.mark.parametrize(
    ("name", "most"),
    [("pending", 1), ("waiting", 1), ("inbox", 2), ("history", 1), ("sent", 2), ("request", 2)],
)
def test_a_question_costs_a_fixed_number_of_statements(filled: Index, name: str, most: int) -> None:
    before = filled.statements
    filled.count_statements()
    QUESTIONS[name](filled)
    filled._connection.set_trace_callback(None)
    assert filled.statements - before <= most


def test_applying_one_letter_scans_no_large_table(tmp_path: Path, filled: Index) -> None:
    path, data = letter_file(a_letter(5000), "GreenCastle")
    archived, marked = letter_file(a_letter(5000), "GreenCastle", archived=True)

    def send_and_archive(index: Index) -> None:
        with index.writing():
            brought = AppliedCommit("a" * 40, "BlueLake", 1, "mail: x\n")
            apply(index, brought, [FileChange(path, None, blob_of(data), data)])
            moved = [
                FileChange(path, blob_of(data), None, None),
                FileChange(archived, None, blob_of(marked), marked),
            ]
            apply(index, AppliedCommit("b" * 40, "BlueLake", 2, "ack: x\n"), moved)
            index.set_marker("b" * 40)

    found = statements_of(filled, send_and_archive)
    plans = [one for one in found if one.split()[0] in ("SELECT", "UPDATE", "DELETE", "INSERT")]
    assert plans
    assert [step for one in plans for step in scans(filled, one)] == []
