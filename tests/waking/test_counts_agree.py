"""One query behind every count: the hook, the tools and the shell say the same number.

And the letters in `inbox/` on disk are always those that wait and those that expired.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tempfile
from contextlib import ExitStack, redirect_stdout
from datetime import timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from waking_world import World

from gitmail.board.presence import Presence
from gitmail.cli.main import run as run_command
from gitmail.mail.acknowledge import acknowledge, mark_read
from gitmail.mail.brief import brief
from gitmail.mail.inbox import waiting
from gitmail.mail.receive import receive
from gitmail.mail.waiting import pending_now, wait_for
from gitmail.store.create import create_store
from gitmail.store.location import find_project, open_store, person_of
from gitmail.store.store import Store, system_clock
from gitmail_hooks.mailbox_look import find_spot, what_waits
from gitmail_server.desk import Desk
from gitmail_server.session import Session

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["letter", "message", "urgent", "read", "ack", "receive", "expire"]),
        st.integers(0, 5),
    ),
    min_size=1,
    max_size=12,
)


def new_world(top: Path) -> World:
    project = top / "shop"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    place = find_project(project, None)
    person = person_of(place.project)
    create_store(place.store, "shop", person, [], sys.executable, system_clock)
    return World(project, open_store(place))


def play(world: World, step: str, which: int) -> None:
    store, blue = world.store, world.caller("Blue")
    if step == "letter":
        world.letter("Green", "Blue")
    elif step in ("message", "urgent"):
        world.message("Green", "Blue", urgent=step == "urgent")
    elif step == "receive":
        receive(store, blue)
    elif step == "expire":
        shift(store)
    else:
        letters = pending_now(store, "Blue").letters
        if letters:
            one = letters[which % len(letters)].id
            if step == "ack":
                acknowledge(store, blue, [one])
            else:
                mark_read(store, blue, one)


def shift(store: Store) -> None:
    """Let letters with an expiry lapse, by moving the store's clock on by a day."""
    clock = store.clock
    store.clock = lambda: clock() + timedelta(days=1, seconds=1)


def everybodys_numbers(world: World) -> dict[str, int]:
    store, blue = world.store, world.caller("Blue")
    found = waiting(store, "Blue")
    with ExitStack() as ending:
        desk = Desk(store, blue, Presence(store.private), False, ending, "session")
        tool = Session(lambda: desk).common()["waiting"]
    return {
        "list": len(found.waiting),
        "count": found.waiting_count,
        "tool": tool,
        "wait": wait_for(store, blue, 0, key="s").waiting,
        "brief": len(brief(store, blue).letters),
        "disk": len(list((store.path / "mail/Blue/inbox").glob("*.md"))) - found.expired_count,
    }


@settings(max_examples=12, deadline=None)
@given(STEPS)
def test_all_counts_agree_over_random_histories(steps: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = new_world(Path(folder))
        with world.store:
            world.caller("Blue")
            for step, which in steps:
                play(world, step, which)
            numbers = everybodys_numbers(world)
            assert len(set(numbers.values())) == 1, numbers


def test_the_hook_the_shell_and_the_tools_agree_on_the_real_clock(world: World) -> None:
    for number in range(4):
        world.letter("Green", "Blue", f"Letter {number}")
        world.message("Green", "Blue", f"Message {number}")
    play(world, "read", 0)
    play(world, "ack", 3)
    number = waiting(world.store, "Blue").waiting_count
    assert number == 6
    spot = find_spot(str(world.project), None)
    assert spot is not None
    assert len(what_waits(spot, "Blue", None)) == number
    for command in (["inbox"], ["brief"], ["wait", "--timeout", "0"]):
        printed = io.StringIO()
        with redirect_stdout(printed):
            run_command([*command, "--as", "Blue", "--json", "--project", str(world.project)])
        assert json.loads(printed.getvalue())["waiting"] == number
    assert set(everybodys_numbers(world).values()) == {number}
