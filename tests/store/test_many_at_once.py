"""Many processes and threads in one store: every send counts once, and readers never notice."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from post_office import (
    BLUE,
    GREEN,
    PAT,
    RED,
    Forge,
    assert_sound,
    git,
    main_of,
    make_store,
    opened,
    post,
)
from storming import assert_all_arrived, kill_at_random, send_storm

from gitmail.mail.inbox import waiting


def test_processes_send_at_once_and_none_is_lost(path: Path, forge: Forge, tmp_path: Path) -> None:
    send_storm(path, forge, 4, 5, tmp_path / "stop")


def test_more_writers_than_processors_each_get_their_turn(
    path: Path, forge: Forge, tmp_path: Path
) -> None:
    send_storm(path, forge, 12, 2, tmp_path / "stop", readers=0)


def test_threads_share_one_store(path: Path) -> None:
    before = main_of(path)
    with opened(path) as store:

        def work(number: int) -> None:
            for _ in range(6):
                post(store, f"Thread-{number}", GREEN)
                assert waiting(store, GREEN).waiting_count > 0
            store.close()  # this thread's connection

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(4)))
    assert_all_arrived(path, before, {f"Thread-{number}": 6 for number in range(4)})


def test_two_stores_in_one_process_do_not_block_each_other(path: Path, tmp_path: Path) -> None:
    other = make_store(tmp_path / "other")
    with opened(path) as one, opened(other) as two, one.writing():
        post(two, BLUE, GREEN)
    with opened(path) as one, opened(path) as two:
        post(one, BLUE, GREEN)
        post(two, RED, GREEN)
        assert waiting(one, GREEN).waiting_count == 2


def test_one_letter_acknowledged_by_many_is_acknowledged_once(path: Path, forge: Forge) -> None:
    with opened(path) as store:
        sent = post(store, BLUE, GREEN, ack_required=True)
        before = store.main()
    workers = [forge.start("acknowledge", path, who=GREEN, ids=[sent.letter.id]) for _ in range(6)]
    assert [worker.wait().result for worker in workers] == [1] * 6
    assert git(path, "rev-list", "--count", f"{before}..main") == "1"
    assert_sound(path)


def test_the_same_fresh_name_registers_once(path: Path, forge: Forge) -> None:
    workers = [forge.start("register", path, who="Newcomer") for _ in range(6)]
    assert sorted(worker.wait().result for worker in workers) == [False] * 5 + [True]
    assert_sound(path)


def test_kills_at_random_moments_lose_nothing_and_block_nobody(path: Path, forge: Forge) -> None:
    assert kill_at_random(path, forge, 15, seed=8) > 15


def test_a_reader_thread_sees_one_commit_in_all_its_queries(path: Path) -> None:
    """List, count and cursor of one answer belong together while another thread writes."""
    stop = threading.Event()
    with opened(path) as store:

        def write() -> None:
            while not stop.is_set():
                post(store, BLUE, GREEN, ack_required=True)
            store.close()

        with ThreadPoolExecutor(1) as pool:
            writing = pool.submit(write)
            for _ in range(60):
                box = waiting(store, GREEN)
                assert len(box.waiting) == box.waiting_count
            stop.set()
            writing.result()
    assert store.committer == PAT
