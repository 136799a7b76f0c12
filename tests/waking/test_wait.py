"""Waiting for mail: what wakes a listener, once, and what never does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from waking_world import World

from gitmail.board.presence import Presence
from gitmail.mail.acknowledge import mark_read
from gitmail.mail.notifier import Notifier
from gitmail.mail.receive import receive
from gitmail.mail.waiting import What, Woken, wait_for

KEY = "session-one"


def waited(world: World, seconds: float = 0.3, what: What = "mail", key: str = KEY) -> Woken:
    return wait_for(world.store, world.caller("Blue"), seconds, what, key=key)


def waiting_while(world: World, act: Callable[[], object], what: What = "mail") -> Woken:
    """What a wait comes to while something happens after it has begun."""
    presence = Presence(world.store.private)
    with ThreadPoolExecutor(1) as pool:
        future: Future[Woken] = pool.submit(waited, world, 20, what)
        deadline = time.monotonic() + 10
        while not presence.seen("Blue").listening and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.2)
        act()
        return future.result(20)


def test_nothing_in_time_is_a_timeout_with_the_waiting_number(world: World) -> None:
    world.letter("Green", "Blue")
    assert waited(world) == Woken(False, 1, (), "timeout")


def test_a_letter_that_comes_while_waiting_wakes_and_names_its_sender(world: World) -> None:
    world.caller("Blue")
    woken = waiting_while(world, lambda: world.letter("Green", "Blue", "News"))
    assert (woken.woke, woken.waiting, woken.senders, woken.reason) == (True, 1, ("Green",), "mail")
    assert [letter.subject for letter in woken.letters] == ["News"]


def test_mail_that_came_between_two_waits_is_news_and_told_once(world: World) -> None:
    world.letter("Green", "Blue", "Old")
    assert not waited(world).woke
    world.letter("Green", "Blue", "New")
    woken = waited(world)
    assert [letter.subject for letter in woken.letters] == ["New"]
    assert woken.waiting == 2
    assert not waited(world).woke


@pytest.mark.parametrize("look", [receive, None])
def test_a_letter_its_owner_has_looked_at_wakes_nobody(
    world: World, look: Callable[..., object] | None
) -> None:
    world.caller("Blue")
    assert not waited(world, 0.05).woke
    sent = world.message("Green", "Blue", urgent=True)
    if look is not None:
        look(world.store, world.caller("Blue"))
    else:
        mark_read(world.store, world.caller("Blue"), sent.letter.id)
    woken = waited(world)
    assert (woken.woke, woken.waiting) == (False, 1)


def test_waiting_for_a_ring_ignores_ordinary_mail(world: World) -> None:
    world.caller("Blue")
    woken = waiting_while(
        world,
        lambda: (world.letter("Green", "Blue"), world.message("Grey", "Blue", urgent=True)),
        "ring",
    )
    assert (woken.woke, woken.reason, woken.senders, woken.waiting) == (True, "ring", ("Grey",), 2)


def test_a_ring_decided_while_a_listener_is_armed_says_rung(world: World) -> None:
    world.caller("Blue")
    decisions: list[str | None] = []

    def act() -> None:
        wake = world.message("Green", "Blue", urgent=True).receipts[0].wake
        decisions.append(wake.decision if wake else None)

    assert waiting_while(world, act, "ring").woke
    assert decisions == ["rung"]


def test_a_ring_without_a_listener_is_given_to_the_next_one_once(world: World) -> None:
    wake = world.message("Green", "Blue", urgent=True).receipts[0].wake
    assert wake is not None
    assert wake.decision == "no_path"
    assert waited(world, 0.05, "ring").reason == "ring"
    assert waited(world, 0.05, "ring").reason == "timeout"
    assert waited(world, 0.05, "mail").reason == "timeout"
    assert waited(world, 0.05, "ring", key="session-two").reason == "ring"


def test_several_listeners_of_one_notifier_are_all_woken(world: World) -> None:
    caller = world.caller("Blue")
    with Notifier(world.store, "Blue") as notifier, ThreadPoolExecutor(3) as pool:
        waits = [
            pool.submit(wait_for, world.store, caller, 20, key=f"s{n}", notifier=notifier)
            for n in range(3)
        ]
        time.sleep(0.5)
        world.letter("Green", "Blue")
        assert all(one.result(20).woke for one in waits)


def test_a_listener_that_is_told_to_stop_returns(world: World) -> None:
    world.caller("Blue")
    stopped = threading.Event()
    threading.Timer(0.2, stopped.set).start()
    woken = wait_for(world.store, world.caller("Blue"), 30, key=KEY, stopped=stopped.is_set)
    assert woken.reason == "stopped"


def test_no_letter_is_lost_that_arrives_between_look_and_watch(world: World) -> None:
    caller = world.caller("Blue")
    told: list[str] = []
    done = threading.Event()

    def listen() -> None:
        while not done.is_set() or len(told) < 40:
            woken = wait_for(world.store, caller, 3, key=KEY)
            told.extend(letter.id for letter in woken.letters)
            if not woken.woke and done.is_set():
                return

    assert not waited(world, 0.05).woke
    thread = threading.Thread(target=listen)
    thread.start()
    sent = [world.letter("Green", "Blue", f"Letter {n}").letter.id for n in range(40)]
    done.set()
    thread.join(30)
    assert told == sent


def test_the_memory_of_a_listener_is_readable_by_its_user_only(world: World) -> None:
    world.letter("Green", "Blue")
    waited(world, 0.05)
    folder = Path(world.store.private.root) / "announced" / "blue"
    assert folder.stat().st_mode & 0o077 == 0
