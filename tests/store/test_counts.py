"""What a command costs, in things that can be counted: objects, syncs, processes, statements."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from post_office import BLUE, GREEN, PAT, RED, caller, opened, post

from gitmail.board.agents import register
from gitmail.format.letters import letter_to_bytes
from gitmail.git import durable, loose, process
from gitmail.git.commits import Person
from gitmail.mail.acknowledge import acknowledge
from gitmail.mail.inbox import inbox_page, waiting
from gitmail.mail.receive import receive
from gitmail.store.change import Change
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values.ids import new_id
from gitmail.values.letter import Letter, Marks
from gitmail.values.paths import archive_path, letter_file_name
from gitmail.values.sentences import mail
from gitmail.values.times import after


def objects(path: Path) -> set[str]:
    return {str(file) for file in (path / ".git/objects").rglob("*") if file.is_file()}


@contextmanager
def counted(
    monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, found: list[Any]
) -> Iterator[None]:
    real = getattr(owner, name)

    def seen(*args: Any, **options: Any) -> Any:
        found.append(args)
        return real(*args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, seen)
        yield


def test_a_send_writes_the_objects_it_must_and_no_other(store: Store, path: Path) -> None:
    post(store, BLUE, GREEN, subject="Warm")
    before = objects(path)
    post(store, BLUE, GREEN)
    made = objects(path) - before
    # blob, commit, and the trees root, mail, mail/GreenCastle, mail/GreenCastle/inbox
    assert len(made) == 6
    assert not [name for name in os.listdir(path / ".git/objects") if name.startswith("tmp")]


def test_a_fan_out_to_fifty_is_one_commit_and_one_batch_of_syncs(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crew = [f"Crew-{number}" for number in range(50)]
    files: dict[str, bytes] = {}
    for name in crew:
        register(store, name)
    writers: list[loose.LooseWriter] = []
    real = loose.LooseWriter.flush

    def flush(self: loose.LooseWriter, *args: Any, **options: Any) -> None:
        writers.append(self)
        real(self, *args, **options)

    monkeypatch.setattr(loose.LooseWriter, "flush", flush)
    before = store.main()
    sent = post(store, BLUE, *crew)
    assert len(sent.receipts) == 50
    assert [writer.batches for writer in writers] == [1]
    assert store.reader.commit(store.main()).parents == (before,)
    assert not files


def test_no_git_process_is_started_by_the_daily_commands(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []
    with counted(monkeypatch, process.subprocess, "Popen", started), opened(path) as store:
        first = post(store, BLUE, GREEN, ack_required=True)
        post(store, BLUE, GREEN, RED, subject="Two", ack_required=True)
        assert len(receive(store, caller(GREEN)).messages) == 2
        acknowledge(store, caller(GREEN), [first.letter.id])
        assert inbox_page(store, GREEN, bodies=True).total == 2
        assert waiting(store, GREEN).waiting_count == 1
        register(store, "Newcomer")
    assert started == []


def test_a_question_and_an_empty_poll_write_nothing(store: Store, path: Path) -> None:
    post(store, BLUE, GREEN)
    receive(store, caller(GREEN))
    main, made = store.main(), objects(path)
    for _ in range(2):
        receive(store, caller(GREEN))
        receive(store, caller(RED))
        waiting(store, GREEN)
        inbox_page(store, GREEN)
    assert (store.main(), objects(path)) == (main, made)


def _fill(store: Store, count: int) -> None:
    """Add handled letters to a mailbox, many in one commit."""

    def decide(view: View) -> Change[None]:
        files: dict[str, bytes | None] = {}
        date = view.now.replace(year=view.now.year - 1)
        for _ in range(count):
            date = after(date, date)
            letter = Letter(new_id(), BLUE, (GREEN,), "Old", date, "Old words.")
            marks = Marks(date, date, date)
            path = archive_path(GREEN, date, letter_file_name(letter))
            files[path] = letter_to_bytes(letter, marks)
        return Change(files, mail(letter), None)

    store.write(Person(BLUE, "bluelake@gitmail.invalid"), decide)


def _statements(store: Store, question: Callable[[], object]) -> int:
    index = store.read(lambda view: view.index)
    index.count_statements()
    before = index.statements
    question()
    assert store.read(lambda view: view.index) is index
    return index.statements - before


def test_the_number_of_statements_does_not_grow_with_the_store(path: Path) -> None:
    found = []
    with opened(path, durable=False) as store:
        post(store, BLUE, GREEN)
        for size in (100, 1900):
            _fill(store, size)
            found.append(
                [
                    _statements(store, lambda: post(store, BLUE, GREEN)),
                    _statements(store, lambda: inbox_page(store, GREEN, bodies=True)),
                    _statements(store, lambda: waiting(store, GREEN)),
                    _statements(store, lambda: receive(store, caller(RED))),
                ]
            )
    assert found[0] == found[1]
    assert max(found[0]) < 80


def test_the_committer_is_the_person_and_the_author_the_agent(store: Store) -> None:
    post(store, BLUE, GREEN)
    commit = store.reader.commit(store.main())
    assert (commit.author.name, commit.committer) == (BLUE, PAT)


def test_every_sync_goes_through_one_module() -> None:
    """So that a count of batches says something about syncs."""
    source = Path(durable.__file__).parents[1]
    others = [
        file.name
        for file in source.rglob("*.py")
        if "os.fsync(" in file.read_text(encoding="utf-8") and file.name != "durable.py"
    ]
    assert others in ([], ["index.py"])  # index.py syncs a file that is being made
