"""Thirty agents at work at once, each with a server process and an SDK client of its own.

Ten minutes of calls (four a minute for each agent) in about one. Every agent keeps its own account
of what it was told; at the end the store has to agree with all thirty accounts.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from post_office import assert_sound

from gitmail.format.config import Limits
from gitmail.values.paths import inbox_folder, mailbox_path

sys.path.append(str(Path(__file__).parents[1] / "server"))

from server_desk import Project, environment, git, make_project, process

pytestmark = [pytest.mark.storm, pytest.mark.timeout(600)]

NAMES = tuple(f"Agent-{number:02}" for number in range(30))
PAUSE = 3.0
"""Most seconds that an agent thinks between two calls."""
BOUND = 1.5
"""Seconds within which 99 of 100 calls of each kind are answered, on 2 cores."""


@dataclass
class Account:
    """What all agents together were told."""

    waits: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    commits: Counter[str] = field(default_factory=Counter)
    deliveries: Counter[tuple[str, str]] = field(default_factory=Counter)
    working: int = len(NAMES)
    begin: anyio.Event = field(default_factory=anyio.Event)
    end: anyio.Event = field(default_factory=anyio.Event)


class Agent:
    """One agent: what it knows of its mailbox, and the kinds of call that it makes."""

    def __init__(self, name: str, client: Client, project: Project, account: Account) -> None:
        self.name, self.client, self.project, self.account = name, client, project, account
        self.chance = random.Random(name)
        self.sends: list[tuple[dict[str, Any], list[str]]] = []
        self.seen: set[str] = set()
        self.acked: set[str] = set()
        self.tasks = 0
        self.at_end: dict[str, Any] = {}

    def plan(self) -> list[tuple[str, Callable[[], Awaitable[bool]]]]:
        """Return forty calls in an order of this agent's own, after a look at the mailbox."""
        fan_outs = 1 if NAMES.index(self.name) % 2 else 0
        kinds: list[tuple[str, Callable[[], Awaitable[bool]], int]] = [
            ("send", self.send, 11 - fan_outs),
            ("send to all", self.send_to_all, fan_outs),
            ("send again", self.send_again, 1),
            ("receive", self.receive, 7),
            ("receive and ack", self.receive_and_ack, 3),
            ("ack", self.ack, 6),
            ("ack in vain", self.ack_in_vain, 1),
            ("history", self.history, 4),
            ("update", self.update, 3),
            ("fetch_inbox", self.look, 3),
        ]
        calls = [(kind, call) for kind, call, count in kinds for _ in range(count)]
        self.chance.shuffle(calls)
        return [("receive", self.receive), *calls]

    async def work(self) -> None:
        for kind, call in self.plan():
            await anyio.sleep(self.chance.random() * PAUSE)
            begin = time.monotonic()
            wrote = await call()
            self.account.waits[kind].append(time.monotonic() - begin)
            self.account.commits[kind] += wrote

    async def call(self, tool: str, error: str | None = None, /, **arguments: Any) -> Any:
        answer = await self.client.call_tool(tool, arguments)
        told = answer.structured_content
        assert isinstance(told, dict)
        assert told.get("error") == error, f"{self.name}, {tool} {arguments}: {told}"
        assert bool(answer.is_error) == (error is not None)
        return told

    # -- each kind of call; each returns whether it has to be a commit ------------------------

    async def send(self) -> bool:
        return await self._send(self.chance.choice([one for one in NAMES if one != self.name]))

    async def send_to_all(self) -> bool:
        return await self._send("all")

    async def _send(self, to: str) -> bool:
        number = len(self.sends)
        text = f"{self.name}, letter {number}.\n\n" + "Words of a letter. " * self.chance.randint(
            1, 200
        )
        order = {"to": to, "text": text, "request_id": f"request-{number}"}
        told = await self.call("memory_message", action="send", **order)
        receipts = told.get("receipts", [told])
        assert len(receipts) == (len(NAMES) - 1 if to == "all" else 1)
        self.sends.append((order, [one["message_id"] for one in receipts]))
        self.account.deliveries.update((one["recipient"], one["message_id"]) for one in receipts)
        return True

    async def send_again(self) -> bool:
        """Repeat a send, as after an answer that got lost."""
        if not self.sends:
            return await self.send()
        order, ids = self.chance.choice(self.sends)
        told = await self.call("memory_message", action="send", **order)
        assert [one["message_id"] for one in told.get("receipts", [told])] == ids
        return False

    async def receive(self) -> bool:
        ids = await self._receive(ack=False)
        fresh = ids - self.seen
        self.seen |= ids
        return bool(fresh)

    async def receive_and_ack(self) -> bool:
        ids = await self._receive(ack=True, limit=5)
        self.seen |= ids
        self.acked |= ids
        return bool(ids)

    async def _receive(self, **more: Any) -> set[str]:
        page = await self.call("memory_message", action="receive", **more)
        ids = [one["message_id"] for one in page["messages"]]
        assert len(set(ids)) == len(ids), "a letter twice on a page"
        assert self.acked.isdisjoint(ids), "an acknowledged letter is back"
        assert self.seen - self.acked <= {*ids} or page["has_more"], "a letter vanished"
        assert page.get("acknowledged", len(ids)) == len(ids)
        return {*ids}

    async def ack(self) -> bool:
        """Acknowledge up to three letters that were read, in one call."""
        ids = sorted(self.seen - self.acked)[:3] or sorted(self.acked)[:1]
        if not ids:
            return await self.receive()
        await self.call("memory_message", action="ack", message_id=",".join(ids))
        fresh = {*ids} - self.acked
        self.acked |= fresh
        return bool(fresh)

    async def ack_in_vain(self) -> bool:
        unknown = f"{self.chance.getrandbits(128):032x}"
        await self.call("memory_message", "message_not_found", action="ack", message_id=unknown)
        return False

    async def history(self) -> bool:
        told = await self.call("memory_message", action="history", newest=True, limit=20)
        assert len(told["messages"]) <= 20
        return False

    async def update(self) -> bool:
        self.tasks += 1
        told = await self.call("memory_agents", action="update", task=f"Task {self.tasks}")
        assert told["changed"] == ["task"]
        return True

    async def look(self) -> bool:
        found = await self._inbox()
        listed = [one["id"] for one in found["result"]]
        assert len({*listed}) == len(listed) == found["total"]
        assert self.seen <= {*listed}
        return False

    async def _inbox(self, **more: Any) -> Any:
        desk = {"project_key": str(self.project.path), "agent_name": self.name, "limit": 1000}
        return await self.call("fetch_inbox", **desk | more)

    async def look_at_the_end(self) -> None:
        self.at_end = {
            "all": await self._inbox(),
            "unread": await self._inbox(unread_only=True),
            "board": await self.call("memory_agents", action="list"),
        }


async def play(agent_name: str, project: Project, account: Account, done: list[Agent]) -> None:
    async with process(project.path, "--agent", agent_name) as voice:
        agent = Agent(agent_name, voice.client, project, account)
        done.append(agent)
        if len(done) == len(NAMES):
            account.begin.set()
        await account.begin.wait()
        await agent.work()
        account.working -= 1
        if account.working == 0:
            account.end.set()
        await account.end.wait()
        await agent.look_at_the_end()


def storm(project: Project) -> tuple[Account, list[Agent], float]:
    account, agents = Account(), list[Agent]()
    spent = 0.0

    async def main() -> None:
        nonlocal spent
        async with anyio.create_task_group() as group:
            for name in NAMES:
                group.start_soon(play, name, project, account, agents)
            await account.begin.wait()
            began = time.monotonic()
            await account.end.wait()
            spent = time.monotonic() - began

    anyio.run(main)
    return account, agents, spent


def inbox_of_the_command_line(project: Project, name: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "gitmail", "inbox", name, "--json"],
        cwd=project.path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def letters_in(folder: Path) -> Counter[str]:
    return Counter(file.name for file in folder.rglob("*.md"))


def assert_one_account(project: Project, account: Account, agent: Agent) -> None:
    """Hold the agent's own account against every surface that shows its mailbox.

    What was received and not acknowledged counts as unread (docs/format.md, first_read_at).
    """
    sent_to_it = {letter: n for (to, letter), n in account.deliveries.items() if to == agent.name}
    assert set(sent_to_it.values()) <= {1}
    waiting = {*sent_to_it} - agent.acked
    assert agent.acked <= agent.seen <= {*sent_to_it}

    found, unread = agent.at_end["all"], agent.at_end["unread"]
    assert Counter(one["id"] for one in found["result"]) == sent_to_it
    assert found["total"] == len(sent_to_it)
    assert {one["id"] for one in unread["result"]} == waiting
    assert found["unread"] == unread["total"] == len(waiting)
    told = {one["waiting"] for one in agent.at_end.values()}
    assert told == {len(waiting)}

    listed = inbox_of_the_command_line(project, agent.name)
    assert listed["waiting"] == len(listed["letters"]) == len(waiting)
    assert {one["id"] for one in listed["letters"]} == waiting
    assert listed["unreadable"] == []

    on_disk = letters_in(project.store / inbox_folder(agent.name))
    assert on_disk.total() == listed["waiting"] + len(listed["expired"])
    everything = letters_in(project.store / mailbox_path(agent.name))
    assert everything.total() == len(everything) == len(sent_to_it)


def table(waits: dict[str, list[float]]) -> str:
    """Return a line for each kind of call: how many, and milliseconds."""
    lines = [f"{'call':16} {'n':>5} {'p50':>6} {'p95':>6} {'p99':>6} {'max':>6}  ms"]
    for kind, of_kind in waits.items():
        shown = [percentile(of_kind, percent) for percent in (50, 95, 99)] + [max(of_kind)]
        cells = " ".join(f"{one * 1000:6.0f}" for one in shown)
        lines.append(f"{kind:16} {len(of_kind):5} {cells}")
    return "\n".join(lines)


def percentile(values: list[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def test_thirty_agents_with_servers_of_their_own_agree_on_everything(tmp_path: Path) -> None:
    project = make_project(tmp_path / "shop", NAMES)
    project.limits(**dict.fromkeys((one.name for one in fields(Limits)), 0))
    before = git(project.store, "rev-parse", "main")

    load = os.getloadavg()[0]
    account, agents, spent = storm(project)
    calls = sum(map(len, account.waits.values()))
    commits, deliveries = account.commits.total(), account.deliveries.total()
    print(
        f"\n{len(NAMES)} agents, {calls} calls in {spent:.0f} s, {commits} commits, "
        f"{deliveries} deliveries; load {load:.1f} before, {os.getloadavg()[0]:.1f} after\n"
        f"{table(account.waits)}"
    )

    assert git(project.store, "rev-list", "--merges", f"{before}..main") == ""
    made = int(git(project.store, "rev-list", "--count", f"{before}..main"))
    assert made == commits, "one commit for each call that writes"
    for agent in agents:
        assert_one_account(project, account, agent)
    assert_sound(project.store)
    slow = {kind: percentile(of_kind, 99) for kind, of_kind in account.waits.items()}
    assert {kind: wait for kind, wait in slow.items() if wait >= BOUND} == {}
