"""The receive cursor names a place in the mailbox's arrivals: it skips nothing and repeats nothing.

Between two pages senders commit, a letter with an older date arrives by a merge from a clone, and
the index is deleted (contract: receive, the cursor).
"""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path

import pytest
from server_desk import BLUE, GREEN, RED, Project, git

from gitmail.board.caller import Caller
from gitmail.errors import InvalidInput
from gitmail.format.letters import letter_to_bytes
from gitmail.index.agents import agent_by_name
from gitmail.mail.message import Message, send
from gitmail.mail.receive import receive
from gitmail.mail.receive_cursor import Position, write_position
from gitmail.store.store import Store
from gitmail.values.ids import new_id
from gitmail.values.letter import Letter
from gitmail.values.paths import inbox_path, letter_file_name


class World:
    """A mailbox, its senders, a clone from which old letters come, and what must be received."""

    def __init__(self, project: Project, store: Store) -> None:
        self.project, self.store = project, store
        self.reader = Caller(GREEN, new_id())
        self.letters: set[str] = set()
        self.number = 0
        self.clone = project.path.parent / "clone"
        git(project.path.parent, "clone", "-q", str(project.store), str(self.clone))

    def send(self, sender: str) -> None:
        self.number += 1
        message = Message(f"Letter {self.number}", f"request-{self.number}", to=GREEN)
        self.letters.add(send(self.store, Caller(sender, new_id()), message).letter.id)

    def push_an_old_letter(self) -> None:
        """A colleague's clone, behind main, delivers a letter of yesterday, merges, pushes."""
        self.number += 1
        date = self.store.clock() - timedelta(days=1, seconds=-self.number)
        letter = Letter(new_id(), RED, (GREEN,), f"Old {self.number}", date, "From elsewhere.")
        path = inbox_path(GREEN, letter_file_name(letter))
        (self.clone / path).write_bytes(letter_to_bytes(letter))
        git(self.clone, "add", path)
        who = ["-c", f"user.name={RED}", "-c", "user.email=redhill@gitmail.invalid"]
        git(self.clone, *who, "commit", "-qm", f"mail: {RED} -> {GREEN}: Old {self.number}")
        git(self.clone, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
        git(self.clone, "push", "-q", "origin", "main")
        self.letters.add(letter.id)

    def lose_the_index(self) -> None:
        for file in Path(self.store.private.root).glob("index.sqlite*"):
            file.unlink()


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.storm) for seed in range(1, 4))]
)
def test_each_letter_is_received_once_whatever_happens_between_pages(
    project: Project, seed: int
) -> None:
    chance = random.Random(seed)
    with project.open() as store:
        world = World(project, store)
        events = [
            lambda: world.send(BLUE),
            lambda: world.send(RED),
            world.push_an_old_letter,
            world.lose_the_index,
        ]
        for _ in range(5):
            world.send(BLUE)
        received: list[str] = []
        after = None
        for step in range(22):
            if step < 12:
                chance.choice(events)()
            page = receive(store, world.reader, after=after, limit=chance.randint(1, 3))
            received += [one.letter.id for one in page.messages]
            assert page.has_more == (len(received) < len(world.letters))
            after = page.after
        assert sorted(received) == sorted(world.letters)
        assert receive(store, world.reader, after=after).messages == ()


def test_a_cursor_from_a_future_that_this_store_has_not_seen_is_ahead(project: Project) -> None:
    with project.open() as store:
        world = World(project, store)
        world.send(BLUE)
        row = store.read(lambda view: agent_by_name(view.index, GREEN))
        assert row is not None
        for position in (Position(main="f" * 40), Position(base="f" * 40, main=store.main())):
            with pytest.raises(InvalidInput) as ahead:
                receive(store, world.reader, after=write_position(position, row.agent.id))
            assert ahead.value.code == "invalid_cursor"
            assert ahead.value.facts["detail"] == "cursor_ahead"
