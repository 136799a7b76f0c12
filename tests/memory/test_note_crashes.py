"""Consolidation under kills and in competition: the old state or the new one, never between."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from note_world import keep, keep_many, live, retired
from post_office import AGENTS, BLUE, GREEN, Forge, assert_fsck, assert_sound, main_of, opened

from gitmail.index.memories import MemoryFilter, matching_memories

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
    "tree-placed",
    "tree-marked",
    "index-followed",
)
SLOW = pytest.param(1000, marks=pytest.mark.storm)


@pytest.mark.parametrize("count", [2, 20, SLOW])
@pytest.mark.parametrize("step", [*BEFORE, *AFTER])
def test_a_kill_at_any_step_leaves_the_old_state_or_the_new_one(
    path: Path, forge: Forge, step: str, count: int
) -> None:
    with opened(path, durable=False) as store:
        ids = keep_many(store, count)
        before = live(store)
    main = main_of(path)
    ended = forge.run("consolidate", path, who=BLUE, ids=ids, text="All.", kill_at=step)
    assert ended.killed, ended.answer
    with opened(path) as store:
        now = live(store), retired(store)
        moved = main_of(path) != main
        assert now == (({count + 1: "All."}, before) if moved else (before, {}))
        assert moved == (step in AFTER)
        assert store.tree.marker() == main_of(path)
    assert_sound(path, fsck=count < 1000)


def test_two_processes_with_overlapping_clusters_and_one_wins(path: Path, forge: Forge) -> None:
    compete(path, forge, 20)


@pytest.mark.storm
@pytest.mark.timeout(900)
def test_two_processes_with_overlapping_clusters_two_hundred_rounds(
    path: Path, forge: Forge
) -> None:
    compete(path, forge, 200)


@pytest.mark.storm
@pytest.mark.timeout(900)
def test_kills_at_random_moments_leave_whole_states(path: Path, forge: Forge) -> None:
    chance = random.Random(11)
    for _ in range(100):
        workers = [forge.start("endless notes", path, who=name) for name in AGENTS[:2]]
        time.sleep(chance.uniform(0.02, 0.6))
        for worker in workers:
            worker.kill()
            assert worker.wait().killed
        assert_sound(path, fsck=False)
        assert_whole(path)
    assert_fsck(path)


def compete(path: Path, forge: Forge, rounds: int) -> None:
    with opened(path, durable=False) as store:
        for number in range(rounds):
            ids = keep(store, *(f"Round {number}, note {part}." for part in "abc"))
            first = forge.start("consolidate", path, who=BLUE, ids=ids[:2], text=f"{number} ab")
            second = forge.start("consolidate", path, who=GREEN, ids=ids[1:], text=f"{number} bc")
            answers = [first.wait().answer, second.wait().answer]
            (won,) = [answer["result"] for answer in answers if "result" in answer]
            (lost,) = [answer["code"] for answer in answers if "result" not in answer]
            assert lost == "target_superseded"
            assert won[1] in (ids[:2], ids[1:])
            spared = ({*ids} - {*won[1]}).pop()
            assert {won[0], spared} <= live(store).keys()
            assert {*won[1]} <= retired(store).keys()
    assert_sound(path)


def assert_whole(path: Path) -> None:
    """Every retired note was retired by a note that says so."""
    with opened(path) as store:
        rows = store.read(
            lambda view: matching_memories(view.index, MemoryFilter(include_superseded=True))
        )
        notes = {row.memory.number: row for row in rows}
        assert len(notes) == len(rows)
        for row in rows:
            by = row.memory.superseded_by
            if by is not None and by in notes:
                assert row.memory.number in notes[by].memory.supersedes
