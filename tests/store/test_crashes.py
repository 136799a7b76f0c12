"""A process killed at any named step leaves the old state or the new one, and the next repairs."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from post_office import (
    BLUE,
    GREEN,
    RED,
    Forge,
    assert_fsck,
    assert_sound,
    caller,
    main_of,
    opened,
    post,
)

import gitmail
from gitmail.errors import StoreBusy
from gitmail.mail.acknowledge import acknowledge
from gitmail.store.store import Store
from gitmail.values.paths import agent_path

BEFORE = (
    "locked",
    "tree-written",
    "objects-written",
    "objects-synced",
    "objects-renamed",
    "lock-written",
    "lock-linked",
    "reflog-written",
)
AFTER = (
    "ref-moved",
    "lock-cleaned",
    "tree-exchanged",
    "tree-placed",
    "tree-marked",
    "index-followed",
)
REPLACING = ("receive", "profile")
"""What replaces a file in place, and so exchanges one."""


@dataclass(frozen=True)
class Case:
    """One kind of write: how to get ready for it, and what to order."""

    do: str
    prepare: Callable[[Store, int], dict[str, Any]]


def _letter(store: Store, number: int) -> dict[str, Any]:
    sent = post(store, BLUE, GREEN, subject=f"Letter {number}", ack_required=True)
    return {"who": GREEN, "ids": [sent.letter.id]}


def _acknowledged(store: Store, number: int) -> dict[str, Any]:
    ids = _letter(store, number)["ids"]
    acknowledge(store, caller(GREEN), ids)
    return {"commit": store.main()}


def _edited(store: Store, number: int) -> dict[str, Any]:
    note = Path(store.tree.full(agent_path(RED)))
    note.write_bytes(note.read_bytes() + f"Line {number}.\n".encode())
    return {}


CASES = {
    "send": Case("send", lambda _, n: {"who": BLUE, "to": [GREEN, RED]}),
    "first letter of an agent": Case("send", lambda _, n: {"who": f"New{n}", "to": [GREEN]}),
    "acknowledge": Case("acknowledge", _letter),
    "receive": Case("receive", _letter),
    "register": Case("register", lambda _, n: {"who": f"Agent{n}"}),
    "profile": Case("profile", lambda _, n: {"who": RED, "task": f"Task {n}"}),
    "adopt": Case("adopt", _edited),
    "undo": Case("undo", _acknowledged),
}


def test_every_named_step_is_tried() -> None:
    source = Path(gitmail.__file__).parent
    found = set()
    for file in source.rglob("*.py"):
        found |= set(re.findall(r'reached\("([a-z-]+)"\)', file.read_text(encoding="utf-8")))
    assert found == {*BEFORE, *AFTER}


@pytest.mark.parametrize("name", CASES)
def test_a_kill_at_any_step_leaves_the_old_state_or_the_new_one(
    path: Path, forge: Forge, name: str
) -> None:
    case = CASES[name]
    for number, step in enumerate((*BEFORE, *AFTER)):
        if step == "tree-exchanged" and case.do not in REPLACING:
            continue
        with opened(path) as store:
            order = case.prepare(store, number)
            before = store.main()
        if case.do == "undo":
            assert order["commit"] == before
        ended = forge.run(case.do, path, kill_at=step, **order)
        assert ended.killed, (step, ended.answer)
        moved = main_of(path) != before
        assert moved == (step in AFTER), step
        with opened(path) as store:
            store.read(lambda view: view.main)  # any reader repairs
            assert store.take_notices() == []
            assert store.tree.marker() == store.main() == main_of(path)
            log = (path / ".git/logs/refs/heads/main").read_text(encoding="utf-8")
            assert log.splitlines()[-1].split(" ")[1] == main_of(path), step
        if case.do == "adopt":
            assert not forge.run("adopt", path).killed  # the save is still there, or in already
            with opened(path) as store:
                note = store.read(lambda view: view.required(agent_path(RED)))
            assert f"Line {number}.\n".encode() in note
        assert_sound(path, fsck=False)
    assert_fsck(path)


def test_what_a_killed_writer_left_blocks_neither_writers_nor_pushes(
    path: Path, forge: Forge, tmp_path: Path
) -> None:
    for step in ("lock-written", "lock-linked", "reflog-written"):
        assert forge.run("send", path, who=BLUE, to=[GREEN], kill_at=step).killed
        begin = time.monotonic()
        assert forge.run("send", path, who=BLUE, to=[GREEN]).result is not None
        assert time.monotonic() - begin < 3, "it waited for a dead lock"
    assert_sound(path)


def test_a_foreign_lock_on_main_is_respected_and_named(path: Path, store: Store) -> None:
    lock = path / ".git/refs/heads/main.lock"
    lock.write_text("")  # as git makes it
    before = store.main()
    with pytest.raises(StoreBusy) as caught:
        post(store, BLUE, GREEN)
    assert caught.value.code == "ref_locked"
    assert str(lock) in caught.value.message
    assert lock.exists()
    assert store.main() == before
    lock.unlink()
    post(store, BLUE, GREEN)
    store.close()
    assert_sound(path)


def test_a_living_writer_is_waited_for_and_never_robbed(
    path: Path, forge: Forge, tmp_path: Path
) -> None:
    held, stop = tmp_path / "held", tmp_path / "stop"
    holder = forge.start("hold", path, held=str(held), until=str(stop))
    while not held.exists():
        time.sleep(0.005)
    with opened(path, lock_wait=0.3) as store:
        with pytest.raises(StoreBusy) as caught:
            post(store, BLUE, GREEN)
        assert caught.value.code == "store_busy"
        assert str(store.private.lock) in caught.value.message
        assert "0.3 s" in caught.value.message
        assert caught.value.facts["waited_seconds"] == 0.3
        assert store.read(lambda view: view.main) == store.main()  # readers take no lock
        waiter = forge.start("send", path, who=BLUE, to=[GREEN])
        time.sleep(0.1)
        stop.touch()
        assert holder.wait().result is True
        assert waiter.wait().result is not None
    assert_sound(path)


def test_a_write_inside_a_write_is_an_error_at_once(store: Store) -> None:
    with store.writing(), pytest.raises(RuntimeError, match="write inside a write"):
        post(store, BLUE, GREEN)
    post(store, BLUE, GREEN)


@pytest.mark.parametrize("do", ["send", "profile", "adopt", "acknowledge"])
def test_kills_are_survived_without_hard_links_and_exchanges_too(
    path: Path, forge: Forge, do: str
) -> None:
    case = CASES[do]
    for number, step in enumerate((*BEFORE, *AFTER)):
        if step == "tree-exchanged":
            continue
        with opened(path) as store:
            order = case.prepare(store, number)
            before = store.main()
        ended = forge.run(case.do, path, kill_at=step, poor_system=True, **order)
        assert ended.killed, (step, ended.answer)
        assert (main_of(path) != before) == (step in AFTER), step
        if do == "adopt":
            assert not forge.run("adopt", path, poor_system=True).killed
            with opened(path) as store:
                note = store.read(lambda view: view.required(agent_path(RED)))
            assert f"Line {number}.\n".encode() in note
        assert_sound(path, fsck=False)
    assert_fsck(path)


@pytest.mark.parametrize("leftover", ["old-lock", "unknown-file", "tree-file-1-ab"])
def test_other_leftovers_block_nobody(path: Path, store: Store, leftover: str) -> None:
    """Lock files of dead processes hold no lock: the kernel freed it; files in tmp/ are no lock."""
    if leftover == "old-lock":
        store.private.lock.write_text("4194304\n", encoding="ascii")
        os.utime(store.private.lock, (1, 1))
    else:
        (store.private.tmp / leftover).write_bytes(b"half")
    post(store, BLUE, GREEN)
    if leftover == "unknown-file":
        mine = store.private.tmp / leftover
        assert mine.exists(), "some program may be at work with it"
        with store.lock.hold():
            assert store.read(lambda view: view.main), "and it makes no reader want the lock"
        os.utime(mine, (1, 1))
    store.close()
    assert_sound(path)
