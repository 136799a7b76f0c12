"""Both vocabularies are faces of one mailbox: random sequences against a plain model.

Every step goes through either vocabulary; after each one both views of every mailbox are compared
with a list of deliveries that knows nothing of files (contract: one mailbox).
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import pytest
from server_desk import BLUE, GREEN, RED, AsyncVoices, Project, Voice, make_project

NAMES = (BLUE, GREEN, RED)
STEPS = 30


@dataclass
class Copy:
    """One delivery as the model has it."""

    id: str
    sender: str
    owner: str
    text: str
    urgent: bool
    ack_required: bool
    thread: str | None
    kind: str = "to"
    given: bool = False
    read: bool = False
    acknowledged: bool = False

    @property
    def handled(self) -> bool:
        return self.acknowledged or (self.read and not self.ack_required)


@dataclass
class World:
    """The model, and the real thing beside it."""

    project: Project
    voices: Mapping[str, Voice]
    choose: random.Random
    copies: list[Copy] = field(default_factory=list)
    number: int = 0

    @property
    def key(self) -> dict[str, Any]:
        return {"project_key": str(self.project.path)}

    def of(self, owner: str) -> list[Copy]:
        return [copy for copy in self.copies if copy.owner == owner]

    def pending(self, owner: str) -> list[Copy]:
        return [copy for copy in self.of(owner) if not copy.handled]

    # -- steps -----------------------------------------------------------------------------

    async def send_one_way(self) -> None:
        sender, owner = self.choose.sample(NAMES, 2)
        self.number += 1
        text, urgent = f"Letter {self.number}\n\n body ", self.choose.random() < 0.3
        parent = self._parent(sender, writer=owner)
        sent = await self.voices[sender](
            "memory_message",
            action="send",
            to=owner,
            text=text,
            request_id=f"r{self.number}",
            urgent=urgent,
            reply_to=parent.id if parent else None,
        )
        assert sent.error is None, sent
        thread = (parent.thread or parent.id) if parent else None
        self.copies.append(Copy(sent["message_id"], sender, owner, text, urgent, True, thread))

    async def send_other_way(self) -> None:
        sender = self.choose.choice(NAMES)
        others = [name for name in NAMES if name != sender]
        self.choose.shuffle(others)
        lines = {"to": others[:1], "cc": others[1:] if self.choose.random() < 0.5 else []}
        self.number += 1
        text = f"Letter {self.number}\n\n body "
        importance = self.choose.choice(["low", "normal", "high", "urgent"])
        ack = self.choose.random() < 0.5
        thread = self.choose.choice([None, "T-1", "T-2"])
        sent = await self.voices[sender](
            "send_message",
            **self.key,
            sender_name=sender,
            subject=f"Subject {self.number}",
            body_md=text,
            importance=importance,
            ack_required=ack,
            thread_id=thread,
            **lines,
        )
        assert sent.error is None, sent
        for kind, names in lines.items():
            self.copies += [
                Copy(sent["id"], sender, name, text, importance == "urgent", ack, thread, kind)
                for name in names
            ]

    async def reply_other_way(self) -> None:
        sender = self.choose.choice(NAMES)
        parent = self._parent(sender)
        if parent is None:
            return
        self.number += 1
        text = f"Answer {self.number}"
        sent = await self.voices[sender](
            "reply_message", **self.key, message_id=parent.id, sender_name=sender, body_md=text
        )
        assert sent.error is None, sent
        thread = parent.thread or parent.id
        copy = Copy(sent["id"], sender, parent.sender, text, False, False, thread)
        self.copies.append(copy)

    def _parent(self, reader: str, writer: str | None = None) -> Copy | None:
        mine = [copy for copy in self.of(reader) if writer in (None, copy.sender)]
        return self.choose.choice(mine) if mine and self.choose.random() < 0.7 else None

    async def receive(self) -> None:
        owner = self.choose.choice(NAMES)
        ack = self.choose.random() < 0.3
        page = await self.voices[owner]("memory_message", action="receive", ack=ack)
        expected = self.pending(owner)
        assert [one["message_id"] for one in page["messages"]] == [copy.id for copy in expected]
        assert [one["text"] for one in page["messages"]] == [copy.text for copy in expected]
        for copy in expected:
            copy.given = True
            copy.read = copy.read or ack
            copy.acknowledged = copy.acknowledged or ack

    async def mark(self) -> None:
        owner = self.choose.choice(NAMES)
        if not self.of(owner):
            return
        copy = self.choose.choice(self.of(owner))
        way = self.choose.choice(["ack", "acknowledge_message", "mark_message_read"])
        if way == "ack":
            done = await self.voices[owner]("memory_message", action="ack", message_id=copy.id)
        else:
            given = self.key | {"agent_name": owner, "message_id": copy.id[:16]}
            done = await self.voices[owner](way, **given)
        assert done.error is None, done
        copy.given = copy.read = True
        copy.acknowledged = copy.acknowledged or way != "mark_message_read"

    # -- both views ------------------------------------------------------------------------

    async def compare(self) -> None:
        for owner in NAMES:
            await self._compare_inbox(owner)
            await self._compare_history(owner)

    async def _compare_inbox(self, owner: str) -> None:
        inbox = await self.voices[owner](
            "fetch_inbox", **self.key, agent_name=owner, limit=1000, include_bodies=True
        )
        shown = [
            (
                one["id"],
                one["from"],
                one["kind"],
                one["body_md"],
                one["importance"] == "urgent",
                one["ack_required"],
                one.get("thread_id"),
                one["read_at"] is not None,
            )
            for one in inbox["result"]
        ]
        mine = self.of(owner)[::-1]
        assert shown == [
            (
                copy.id,
                copy.sender,
                copy.kind,
                copy.text,
                copy.urgent,
                copy.ack_required,
                copy.thread,
                copy.read,
            )
            for copy in mine
        ]
        assert inbox["total"] == len(mine)
        assert inbox["unread"] == sum(not copy.read for copy in mine)
        assert inbox["waiting"] == len(self.pending(owner))
        again = await self.voices[owner](
            "fetch_inbox", **self.key, agent_name=owner, limit=1000, include_bodies=True
        )
        assert again.text == inbox.text
        folder = self.project.store / "mail" / owner / "inbox"
        assert len(list(folder.glob("*.md"))) == len(self.pending(owner))

    async def _compare_history(self, owner: str) -> None:
        page = await self.voices[owner]("memory_message", action="history")
        shown = [
            (
                one["message_id"],
                one["recipient"],
                one["text"],
                one["state"],
                one["first_read_at"] is not None,
            )
            for one in page["messages"]
        ]
        mine = [copy for copy in self.copies if owner in (copy.owner, copy.sender)]
        expected = [
            (
                copy.id,
                copy.owner,
                copy.text,
                "acknowledged" if copy.acknowledged else "pending",
                copy.given,
            )
            for copy in mine
        ]
        assert not page["has_more"]
        assert sorted(shown) == sorted(expected)
        order = [one["message_id"] for one in page["messages"]]
        assert order == sorted(order, key=[copy.id for copy in self.copies].index)


async def _play(seed: int, folder: Path) -> None:
    project = make_project(folder / "shop")
    project.limits(requests_per_minute=0)
    async with AsyncVoices(project, NAMES, "auto") as voices:
        world = World(project, dict(zip(NAMES, voices, strict=True)), random.Random(seed))
        steps = [
            world.send_one_way,
            world.send_other_way,
            world.reply_other_way,
            world.receive,
            world.mark,
        ]
        for number in range(STEPS):
            step = world.choose.choices(steps, [3, 3, 2, 2, 4])[0]
            await step()
            if number % 3 == 2:
                await world.compare()


@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.storm) for seed in range(2, 8))]
)
def test_either_vocabulary_shows_what_the_other_did(seed: int) -> None:
    with TemporaryDirectory(prefix="gitmail-model-") as folder:
        anyio.run(_play, seed, Path(folder))
