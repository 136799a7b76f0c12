"""The long storms, run by `make storm`. The bounds hold on 2 cores with nothing else at work."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import pytest
from post_office import AGENTS, BLUE, GREEN, Forge, make_store, opened, post
from storming import kill_at_random, lost_saves, send_storm

pytestmark = [pytest.mark.storm, pytest.mark.timeout(900)]


@pytest.mark.parametrize(("writers", "count", "bound"), [(8, 25, 1.0), (30, 5, 1.5)])
def test_every_send_of_a_storm_arrives_and_none_waits_long(
    path: Path, forge: Forge, tmp_path: Path, writers: int, count: int, bound: float
) -> None:
    worst, whole = send_storm(path, forge, writers, count, tmp_path / "stop", readers=0)
    total = writers * count
    print(
        f"\n{writers} processes x {count} sends: {whole:.2f} s "
        f"({whole / total * 1000:.1f} ms each), "
        f"worst single wait {worst * 1000:.0f} ms (bound {bound * 1000:.0f} ms)"
    )
    assert worst < bound


def test_a_storm_beside_busy_readers_loses_nothing(
    path: Path, forge: Forge, tmp_path: Path
) -> None:
    worst, whole = send_storm(path, forge, 8, 25, tmp_path / "stop", readers=2)
    print(f"\nbeside 2 readers without pause: {whole:.2f} s, worst wait {worst * 1000:.0f} ms")


def test_eight_writers_together_are_not_much_slower_than_one(forge: Forge, tmp_path: Path) -> None:
    def rate(name: str, writers: int, count: int) -> float:
        path = make_store(tmp_path / name)
        begin = time.monotonic()
        working = [
            forge.start("send", path, who=f"W{number}", to=[GREEN], count=count)
            for number in range(writers)
        ]
        for worker in working:
            assert worker.wait().result > 0
        return writers * count / (time.monotonic() - begin)

    ratios = []
    for turn in range(5):
        one, eight = rate(f"one-{turn}", 1, 160), rate(f"eight-{turn}", 8, 20)
        ratios.append(eight / one)
        print(f"\none writer {one:.0f}/s, eight writers {eight:.0f}/s, ratio {eight / one:.2f}")
    print(f"median ratio {statistics.median(ratios):.2f} (bound 0.6)")
    assert statistics.median(ratios) >= 0.6


def test_two_hundred_kills_at_random_moments(path: Path, forge: Forge) -> None:
    begin = time.monotonic()
    commits = kill_at_random(path, forge, 110, seed=20261130)
    print(f"\n220 kills in {time.monotonic() - begin:.0f} s, {commits} commits, nothing lost")


@pytest.mark.parametrize("style", ["in place", "rename over", "backup and anew"])
def test_five_hundred_saves_of_each_kind_in_the_moment_of_a_write(
    path: Path, forge: Forge, style: str
) -> None:
    begin = time.monotonic()
    assert lost_saves(path, forge, style, saves=500, changes=400) == []
    print(f"\n500 saves ({style}) against 400 changes in {time.monotonic() - begin:.0f} s: 0 lost")


def test_a_store_opened_after_a_kill_answers_within_a_second(path: Path, forge: Forge) -> None:
    with opened(path) as store:
        for number in range(100):
            post(store, AGENTS[number % 3], GREEN)
    worst = 0.0
    for step in ("lock-linked", "ref-moved", "tree-placed", "tree-marked"):
        assert forge.run("send", path, who=BLUE, to=[GREEN], kill_at=step).killed
        begin = time.monotonic()
        with opened(path) as store:
            store.read(lambda view: view.main)
        worst = max(worst, time.monotonic() - begin)
    print(f"\nworst repair {worst * 1000:.0f} ms (bound 1,000 ms)")
    assert worst < 1
