"""`gitmail serve` as real processes: both eras, many calls at once, and every way to end."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from server_desk import (
    BLUE,
    ERAS,
    GREEN,
    RED,
    Project,
    Result,
    Voice,
    environment,
    git,
    make_project,
    process,
    serve_command,
)

from gitmail.board.presence import Presence
from gitmail.store.private import PrivateState

ENDS_WITHIN = 2.0
"""Seconds in which a server ends (the issue's own number, not a measure of speed)."""


class Raw:
    """A server process spoken to line by line, for what a well-behaved client never does."""

    def __init__(self, folder: Path, *options: str, **variables: str) -> None:
        self.process = subprocess.Popen(
            serve_command(*options),
            cwd=folder,
            env=environment(**variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.stdin, self.stdout = self.process.stdin, self.process.stdout

    def shake_hands(self) -> None:
        info = {"name": "raw", "version": "0"}
        self.write(
            "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=info, id=0
        )
        assert "result" in self.read()
        self.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        self.stdin.flush()

    def write(self, method: str, /, id: int | None = None, **params: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params, "id": id}
        self.stdin.write(json.dumps(message).encode() + b"\n")
        self.stdin.flush()

    def call(self, number: int, tool: str, **arguments: Any) -> None:
        self.write("tools/call", id=number, name=tool, arguments=arguments)

    def read(self) -> dict[str, Any]:
        line = self.stdout.readline()
        assert line, self.process.stderr and self.process.stderr.read().decode()
        return dict(json.loads(line))

    def answer(self) -> dict[str, Any]:
        return dict(self.read()["result"]["structuredContent"])

    def ends(self) -> int:
        """Wait for the end and return the seconds it took in whole milliseconds."""
        began = time.monotonic()
        self.process.wait(timeout=20)
        return int((time.monotonic() - began) * 1000)

    def close(self) -> None:
        self.process.kill()
        for stream in (self.stdin, self.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        self.process.wait(timeout=10)


@contextmanager
def raw(folder: Path, *options: str, **variables: str) -> Iterator[Raw]:
    server = Raw(folder, *options, **variables)
    try:
        server.shake_hands()
        yield server
    finally:
        server.close()


@contextmanager
def locked(project: Project) -> Iterator[None]:
    """Somebody else writes all the while."""
    private = PrivateState.of_store(project.store)
    descriptor = os.open(private.lock, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _send(number: int, to: str = GREEN) -> dict[str, Any]:
    text = f"Letter {number}"
    return {"action": "send", "to": to, "text": text, "request_id": f"request-{number}"}


def _settled(project: Project) -> None:
    """The store is sound, and the tree on disk is what main holds."""
    git(project.store, "fsck", "--strict", "--no-dangling")
    with project.open() as store:
        store.read(lambda view: None)
    for line in git(project.store, "ls-tree", "-r", "main").splitlines():
        facts, _, path = line.partition("\t")
        assert git(project.store, "hash-object", "--no-filters", path) == facts.split()[2]


def test_three_agents_with_processes_of_their_own_hold_a_conversation(project: Project) -> None:
    """One speaks the older era; one is in a linked worktree."""
    git(project.path, "commit", "-q", "--allow-empty", "-m", "begin")
    worktree = project.path.parent / "wt"
    git(project.path, "worktree", "add", "-q", str(worktree))

    async def main() -> None:
        async with (
            process(project.path, "--agent", BLUE) as blue,
            process(worktree, "--agent", GREEN, era="legacy") as green,
            process(project.path, GITMAIL_AGENT=RED) as red,
        ):
            for one in (blue, green, red):
                assert (await one("memory_message", action="receive"))["messages"] == []
            asked = await blue("memory_message", **_send(1, "all"))
            assert [one["recipient"] for one in asked["receipts"]] == [GREEN, RED]
            for number, one in enumerate((green, red)):
                [letter] = (await one("memory_message", action="receive", ack=True))["messages"]
                reply = {"reply_to": letter["message_id"], "text": f"Answer {number}"}
                await one("memory_message", action="send", request_id="answer", **reply)
            page = await blue("memory_message", action="receive")
            assert [one["sender"] for one in page["messages"]] == [GREEN, RED]
            assert {one["thread"] for one in page["messages"]} == {
                asked["receipts"][0]["message_id"]
            }
            looked = await red("fetch_inbox", project_key=str(worktree), agent_name=RED)
            assert looked["total"] == 1
            assert {one["waiting"] for one in (looked, page)} == {0, 2}

    anyio.run(main)
    _settled(project)


@pytest.mark.parametrize("era", ERAS)
def test_a_hundred_calls_at_once_are_all_answered_and_none_is_done_twice(
    project: Project, era: str
) -> None:
    project.limits(requests_per_minute=0)
    results: list[Result] = []

    async def main() -> None:
        async with process(project.path, "--agent", BLUE, era=era) as blue:

            async def call(number: int) -> None:
                kind = number % 4
                if kind == 0:
                    results.append(await blue("memory_message", **_send(number)))
                elif kind == 1:
                    results.append(await blue("memory_message", **_send(number - 1)))
                elif kind == 2:
                    results.append(await blue("memory_message", action="history", limit=5))
                else:
                    inbox = {"project_key": str(project.path), "agent_name": BLUE}
                    results.append(await blue("fetch_inbox", **inbox))

            async with anyio.create_task_group() as group:
                for number in range(100):
                    group.start_soon(call, number)

    before = project.commits()
    anyio.run(main)
    assert [one for one in results if one.error] == []
    assert len(results) == 100
    assert project.commits() == before + 25
    ids = [one["message_id"] for one in results if "message_id" in one]
    assert len(set(ids)) == 25
    _settled(project)


def test_a_locked_store_blocks_neither_ping_nor_reading(project: Project) -> None:
    with raw(project.path, "--agent", BLUE) as server:
        server.call(1, "fetch_inbox", project_key="shop", agent_name=BLUE)
        assert server.answer()["total"] == 0
        with locked(project):
            server.call(2, "memory_message", **_send(2))
            server.write("ping", id=3)
            assert server.read()["id"] == 3
            server.call(4, "fetch_inbox", project_key="shop", agent_name=BLUE)
            assert server.read()["id"] == 4
        late = server.read()
        assert late["id"] == 2
        assert late["result"]["structuredContent"]["state"] == "queued"


def test_lines_that_are_no_messages_stop_nothing(project: Project) -> None:
    """Broken JSON, half a surrogate pair (also in a name), bytes that are not UTF-8."""
    call = '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"memory_message",%s}}'
    text = '"arguments":{"action":"send","to":"GreenCastle","text":"\\ud800","request_id":"s"}'
    name = '"arguments":{"action":"receive","\\udfff":1}'
    lines = ["{", "[]", call % (7, text), call % (8, name)]
    with raw(project.path, "--agent", BLUE) as server:
        for line in lines:
            server.stdin.write(line.encode() + b"\n")
        server.stdin.write(b"\xff\xfe{}\n")
        server.call(9, "memory_message", **_send(9))
        answers: dict[int | None, dict[str, Any]] = {}
        while not answers.keys() >= {7, 8, 9}:  # one without an answer would hang its client
            found = server.read()
            answers[found.get("id")] = found
        assert answers[7]["result"]["structuredContent"]["state"] == "queued"
        assert answers[8]["result"]["isError"]
        assert answers[9]["result"]["structuredContent"]["state"] == "queued"


def test_input_that_ends_behind_a_call_still_gets_the_answer(project: Project) -> None:
    with raw(project.path, "--agent", BLUE) as server:
        server.call(1, "memory_message", **_send(1))
        server.stdin.close()
        assert server.answer()["state"] == "queued"
        assert server.stdout.read() == b""
        assert server.ends() < ENDS_WITHIN * 1000
        assert server.process.returncode == 0
    _settled(project)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_a_server_with_the_transaction_at_hand_finished(
    project: Project, number: signal.Signals
) -> None:
    before = project.commits()
    with raw(project.path, "--agent", BLUE) as server:
        server.call(1, "memory_message", **_send(1))
        assert server.answer()["state"] == "queued"
        for one in range(2, 6):
            server.call(one, "memory_message", **_send(one))
        server.process.send_signal(number)
        assert server.ends() < ENDS_WITHIN * 1000
        assert server.process.returncode == 0
        answered = [json.loads(line)["result"]["structuredContent"] for line in server.stdout]
    assert project.commits() >= before + 1 + len(answered)
    _settled(project)


@pytest.mark.parametrize("how", ["end of input", "signal"])
def test_neither_a_waiting_tool_nor_a_locked_store_keeps_a_server_alive(
    project: Project, how: str
) -> None:
    with raw(project.path, "--agent", BLUE) as server:
        server.call(1, "wait_for_mail", timeout=50)
        with locked(project):
            server.call(2, "memory_message", **_send(2))
            server.write("ping", id=3)
            assert server.read()["id"] == 3
            if how == "signal":
                server.process.terminate()
            else:
                server.stdin.close()
            assert server.ends() < ENDS_WITHIN * 1000
    _settled(project)


def test_a_killed_client_takes_its_server_with_it(project: Project) -> None:
    """The client is a process of its own, killed hard; the server sees the end of its input."""
    program = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen({serve_command('--agent', BLUE)!r}, stdin=subprocess.PIPE,\n"
        "    stdout=subprocess.PIPE)\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    client = subprocess.Popen(
        [sys.executable, "-c", program], cwd=project.path, env=environment(), stdout=subprocess.PIPE
    )
    presence = Presence(PrivateState.of_store(project.store))
    try:
        assert client.stdout is not None
        server = int(client.stdout.readline())
        _until(lambda: presence.living(BLUE), 20)
        os.kill(client.pid, signal.SIGKILL)
        _until(lambda: not _alive(server), 20)
        assert not presence.living(BLUE)
    finally:
        client.kill()
        client.wait()
        assert client.stdout is not None
        client.stdout.close()


def test_a_killed_server_is_detached_at_once(project: Project) -> None:
    presence = Presence(PrivateState.of_store(project.store))
    with raw(project.path, "--agent", BLUE) as server:
        _until(lambda: presence.living(BLUE), 20)
        server.process.kill()
        server.process.wait()
        assert not presence.living(BLUE)


def test_a_server_may_start_before_there_is_a_store(tmp_path: Path) -> None:
    folder = tmp_path / "young"
    folder.mkdir()
    inbox = {"project_key": str(folder), "agent_name": BLUE}

    async def main() -> None:
        async with process(folder, "--agent", BLUE) as blue:
            outside = await blue("fetch_inbox", **inbox)
            assert outside.error == "project_not_found"
            git(folder, "init", "-q")
            before = await blue("memory_message", action="receive")
            assert before.error == "store_not_found"
            assert "gitmail init" in before["hint"]
            done = await anyio.run_process(
                [sys.executable, "-m", "gitmail", "init"], cwd=folder, env=environment()
            )
            assert done.returncode == 0
            assert (await blue("memory_message", action="receive"))["messages"] == []

    anyio.run(main)


def test_two_servers_without_a_name_are_told_different_ones_once(project: Project) -> None:
    async def first_words(voice: Voice) -> str:
        told = (await voice("memory_message", action="receive"))["you"]
        assert "you" not in await voice("memory_message", action="receive")
        return str(told)

    async def main() -> tuple[str, str]:
        async with (
            process(project.path, CLAUDE_CODE_SESSION_ID="one") as one,
            process(project.path, CLAUDE_CODE_SESSION_ID="two") as two,
        ):
            return await first_words(one), await first_words(two)

    before = project.commits()
    names = anyio.run(main)
    assert len({*names, BLUE, GREEN, RED}) == 5
    assert project.commits() == before


def test_hostile_surroundings_change_neither_identity_nor_the_code_project(tmp_path: Path) -> None:
    project = make_project(tmp_path / "shop")
    other = make_project(tmp_path / "other")
    git(project.path, "commit", "-q", "--allow-empty", "-m", "begin")
    before = git(project.path, "status", "--porcelain"), (project.path / ".git/config").read_bytes()
    hostile = {
        "GIT_DIR": str(other.path / ".git"),
        "GIT_INDEX_FILE": str(other.path / ".git/index"),
        "GIT_OBJECT_DIRECTORY": str(tmp_path / "objects"),
        "GIT_WORK_TREE": "/",
        "LANG": "C",
        "LC_ALL": "C",
    }

    async def main() -> None:
        async with process(project.path, "--agent", BLUE, **hostile) as blue:
            sent = await blue("memory_message", **_send(1) | {"text": "Grüße, 你好"})
            assert sent.error is None

    anyio.run(main)
    after = git(project.path, "status", "--porcelain"), (project.path / ".git/config").read_bytes()
    assert after == before
    assert not (tmp_path / "objects").exists()
    assert other.commits() == project.commits() - 1
    _settled(project)


def _until(true: Any, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
