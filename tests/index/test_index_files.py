"""The index's files may be deleted, damaged or swapped at any time; no answer is wrong for it."""

from __future__ import annotations

import gc
import os
import shutil
import sqlite3
import subprocess
import sys
import textwrap
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from index_world import History, a_letter, at, letter_file

from gitmail.index import files
from gitmail.index.index import Index, IndexBusy, IndexUnusable
from gitmail.index.mailbox import waiting_count


def a_history(letters: int = 3) -> History:
    history = History()
    for number in range(1, letters + 1):
        history.commit([letter_file(a_letter(number), "GreenCastle")])
    return history


def parts(path: Path) -> dict[str, Path]:
    generation = files.current_generation(path)
    named = {suffix: files.side_file(generation, suffix) for suffix in ("-wal", "-shm")}
    return {"pointer": path, "database": generation, **named}


def waiting(index: Index) -> int:
    return waiting_count(index, "GreenCastle", at(100))


def test_open_never_creates(index_path: Path) -> None:
    with pytest.raises(IndexUnusable):
        Index.open(index_path)
    assert os.listdir(index_path.parent) == []


def test_a_created_index_opens_again_with_its_marker(index_path: Path) -> None:
    history = a_history()
    Index.create(index_path, history.apply_to).close()
    index = Index.open(index_path)
    assert (index.journal_mode, index.marker()) == ("wal", history.commits[-1][0].sha)
    assert waiting(index) == 3
    assert index.same_files()
    index.close()


def test_a_failed_fill_leaves_what_was_there(index_path: Path) -> None:
    a_history().rebuilt(index_path.parent).close()
    before = sorted(os.listdir(index_path.parent))

    def fail(_index: Index) -> None:
        raise ValueError("no history")

    with pytest.raises(ValueError, match="no history"):
        Index.create(index_path, fail)
    assert sorted(os.listdir(index_path.parent)) == before


@pytest.mark.parametrize("victim", ["pointer", "database", "-wal", "-shm"])
def test_a_missing_file_is_noticed_and_a_new_index_takes_over(
    index_path: Path, victim: str
) -> None:
    history = a_history()
    first = history.rebuilt(index_path.parent)
    second = Index.open(index_path)
    parts(index_path)[victim].unlink()
    assert not first.same_files()
    assert not second.same_files()
    with pytest.raises(IndexUnusable), first.writing():
        pytest.fail("wrote to files that are gone")

    first.discard()
    rebuilt = history.rebuilt(index_path.parent)
    assert not second.same_files()
    second.close()
    del second
    gc.collect()
    assert rebuilt.same_files(), "the end of an old connection touched the new files"
    assert waiting(rebuilt) == 3
    rebuilt.close()


def test_an_old_connection_that_is_only_dropped_harms_no_new_index(index_path: Path) -> None:
    history = a_history()
    old = history.rebuilt(index_path.parent)
    for part in parts(index_path).values():
        part.unlink()
    new = history.rebuilt(index_path.parent)
    del old
    gc.collect()
    assert new.same_files()
    new.close()


def test_closing_after_the_log_was_lost_leaves_no_database_without_it(index_path: Path) -> None:
    history = a_history(1)
    first = history.rebuilt(index_path.parent)
    history.commit([letter_file(a_letter(2), "GreenCastle")])
    with first.writing():
        history.apply_to(first, 1)
    generation = files.current_generation(index_path)
    for suffix in ("-wal", "-shm"):
        files.side_file(generation, suffix).unlink()
    assert not first.same_files()
    first.close()
    with pytest.raises(IndexUnusable):
        Index.open(index_path)


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\0" * 4096,
        b"SQLite format 3\0" + b"\xff" * 8000,
        b"not a database, but a letter\n" * 99,
    ],
    ids=["empty", "zeros", "header only", "text"],
)
def test_damage_is_found_on_opening(index_path: Path, damage: bytes) -> None:
    a_history().rebuilt(index_path.parent).close()
    index_path.write_bytes(damage)
    with pytest.raises(IndexUnusable):
        Index.open(index_path)
    with pytest.raises(IndexUnusable):
        Index.open_read_only(index_path)


def test_damage_in_the_middle_is_found_by_the_query_that_meets_it(index_path: Path) -> None:
    a_history(60).rebuilt(index_path.parent).close()
    with index_path.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xab" * (os.path.getsize(index_path) - 8192))
    with pytest.raises(IndexUnusable):
        waiting(Index.open(index_path))


def test_a_regular_file_put_in_its_place_is_not_taken_for_the_index(index_path: Path) -> None:
    history = a_history()
    history.rebuilt(index_path.parent).close()
    copy = index_path.with_name("copy")
    shutil.copyfile(index_path, copy)
    index_path.unlink()
    copy.rename(index_path)
    with pytest.raises(IndexUnusable, match="copy"):
        Index.open(index_path)
    rebuilt = history.rebuilt(index_path.parent)
    assert waiting(rebuilt) == 3
    rebuilt.close()


@pytest.mark.parametrize("target", ["../elsewhere.sqlite", "/etc/passwd", "index-nothex.sqlite"])
def test_a_pointer_to_elsewhere_is_refused(index_path: Path, target: str) -> None:
    index_path.symlink_to(target)
    with pytest.raises(IndexUnusable):
        Index.open(index_path)


@pytest.mark.parametrize(
    "statement",
    [
        "PRAGMA user_version = 99",
        "PRAGMA application_id = 1",
        "DROP TABLE arrivals",
        "DROP TABLE meta",
    ],
)
def test_another_version_or_a_missing_table_is_found_on_opening(
    index_path: Path, statement: str
) -> None:
    a_history().rebuilt(index_path.parent).close()
    plain = sqlite3.connect(index_path)
    plain.execute(statement)
    plain.commit()
    plain.close()
    with pytest.raises(IndexUnusable):
        Index.open(index_path)


def test_a_table_that_vanishes_while_open_makes_it_unusable(index_path: Path) -> None:
    index = a_history().rebuilt(index_path.parent)
    plain = sqlite3.connect(index_path)
    plain.execute("DROP TABLE deliveries")
    plain.commit()
    plain.close()
    with pytest.raises(IndexUnusable):
        waiting(index)
    index.discard()


def test_an_undone_transaction_leaves_nothing(index: Index) -> None:
    with suppress(ValueError), index.writing():
        index.set_marker("0" * 40)
        raise ValueError("stop")
    assert index.marker() is None


def test_a_busy_writer_ends_in_a_bounded_error(
    index_path: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmail.index.database.BUSY_TIMEOUT", 0.05)
    second = Index.open(index_path)
    with index.writing():
        index.set_marker("1" * 40)
        assert second.marker() is None, "readers do not wait"
        with pytest.raises(IndexBusy), second.writing():
            pytest.fail("two writers at once")
    assert second.marker() == "1" * 40
    second.close()


def test_a_reading_block_sees_one_state(index_path: Path, index: Index) -> None:
    second = Index.open(index_path)
    with second.reading():
        assert second.marker() is None
        with index.writing():
            index.set_marker("1" * 40)
        assert second.marker() is None
    assert second.marker() == "1" * 40
    second.close()


def test_old_generations_are_swept_away(index_path: Path) -> None:
    for _ in range(3):
        a_history().rebuilt(index_path.parent).close()
    generation = files.current_generation(index_path)
    assert sorted(os.listdir(index_path.parent)) == sorted([index_path.name, generation.name])


def test_a_read_only_index_is_read_in_place_and_leaves_no_trace(index_path: Path) -> None:
    a_history().rebuilt(index_path.parent).close()
    before = sorted(os.listdir(index_path.parent))
    index = Index.open_read_only(index_path)
    assert (index.read_only, waiting(index), index.same_files()) == (True, 3, True)
    with pytest.raises(OSError, match="cannot be written"), index.writing():
        index.set_marker("0" * 40)
    index.discard()
    assert sorted(os.listdir(index_path.parent)) == before


def test_a_read_only_index_with_a_log_is_read_from_a_private_copy(index_path: Path) -> None:
    history = a_history(1)
    writer = history.rebuilt(index_path.parent)
    history.commit([letter_file(a_letter(2), "GreenCastle")])
    with writer.writing():
        history.apply_to(writer, 1)
    index = Index.open_read_only(index_path)
    copy = index._generation.parent
    assert copy != index_path.parent
    assert waiting(index) == 2
    index.close()
    assert not copy.exists()
    writer.close()


def test_without_symlinks_the_index_is_a_plain_file(
    index_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "symlink_to", refuse)
    history = a_history()
    index = history.rebuilt(index_path.parent)
    assert (index.journal_mode, waiting(index)) == ("truncate", 3)
    second = Index.open(index_path)
    index.discard()
    assert not second.same_files()
    second.close()
    rebuilt = history.rebuilt(index_path.parent)
    assert rebuilt.same_files()
    rebuilt.close()
    assert os.listdir(index_path.parent) == [index_path.name]


def test_where_processes_cannot_share_a_log_there_is_none(
    index_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmail.index.index._wal_works", lambda _path: False)
    history = a_history()
    index = history.rebuilt(index_path.parent)
    second = Index.open(index_path)
    assert {index.journal_mode, second.journal_mode} == {"truncate"}
    with second.writing():
        second.set_marker("1" * 40)
    assert (index.marker(), index.same_files(), waiting(index)) == ("1" * 40, True, 3)
    index_path.unlink()
    assert not index.same_files()
    index.close()
    second.close()


def test_where_nothing_can_be_created_the_system_says_so(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="cannot be created"):
        Index.create(tmp_path / "missing" / "index.sqlite")


def test_rows_that_contradict_each_other_make_it_unusable(index: Index) -> None:
    index.execute("INSERT INTO files (path, blob) VALUES ('x', '0')")
    with pytest.raises(IndexUnusable), index.writing():
        index.execute("INSERT INTO files (path, blob) VALUES ('x', '1')")


def test_an_index_belongs_to_the_thread_that_opened_it(index: Index) -> None:
    failures: list[Exception] = []

    def ask() -> None:
        try:
            index.marker()
        except sqlite3.ProgrammingError as error:
            failures.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert failures


def test_a_full_disk_is_told_as_such_and_loses_nothing(index: Index) -> None:
    with suppress(OSError), index.writing():
        index.set_marker("1" * 40)
        index.execute("PRAGMA max_page_count = 1")
        for number in range(10_000):
            index.execute("INSERT INTO memory_numbers VALUES (?)", (number,))
        pytest.fail("the disk was never full")
    assert index.marker() is None
    assert index.same_files()


LOOP = """
    import sys, os, random
    from pathlib import Path
    from index_world import *
    from gitmail.index.index import Index, IndexBusy, IndexUnusable
    from gitmail.index.mailbox import waiting_count
    from filelock import FileLock

    path, rounds = Path(sys.argv[1]), int(sys.argv[2])
    history = History()
    for number in range(1, 21):
        history.commit([letter_file(a_letter(number), "GreenCastle")])
    lock = FileLock(str(path) + ".lock")
    chance = random.Random(int(sys.argv[3]))

    def usable():
        while True:
            for make in (Index.open, lambda path: Index.create(path, history.apply_to)):
                with lock:
                    try:
                        return make(path)
                    except IndexUnusable:
                        pass

    index, answers = usable(), 0
    for round in range(rounds):
        if chance.random() < 0.2:
            names = [one for one in os.listdir(path.parent) if one.startswith("index")]
            names = [one for one in names if not one.endswith(".lock") and one != "index_world.py"]
            if names:
                try:
                    os.unlink(path.parent / chance.choice(names))
                except FileNotFoundError:
                    pass
        try:
            if not index.same_files():
                with lock:
                    index.discard()
                index = usable()
            if chance.random() < 0.5:
                with index.writing():
                    index.set_marker(history.commits[-1][0].sha)
            count = waiting_count(index, "GreenCastle", at(100))
            if not index.same_files():
                continue
            assert count == 20, count
            answers += 1
        except IndexBusy:
            pass
        except IndexUnusable:
            with lock:
                index.discard()
            index = usable()
    index.close()
    print(answers)
"""


def test_four_processes_answer_right_while_each_deletes_files_at_random(index_path: Path) -> None:
    history = a_history(20)
    history.rebuilt(index_path.parent).close()
    script = index_path.parent / "loop.py"
    script.write_text(textwrap.dedent(LOOP))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    running = [
        subprocess.Popen(
            [sys.executable, script, index_path, "60", str(seed)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed in range(4)
    ]
    outcomes = [(*one.communicate(timeout=50), one.returncode) for one in running]
    assert [error for _, error, code in outcomes if code] == []
    assert all(int(answers) > 10 for answers, _, _ in outcomes), outcomes
