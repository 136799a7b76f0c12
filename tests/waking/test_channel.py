"""The channel over a real process's standard streams, in both protocol eras, line by line."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from waking_world import World

from gitmail.board.profile import update_profile
from gitmail.values.park import BoardUpdate

CLIENT = {"name": "raw", "version": "1"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Wire:
    """A server process, and every message it writes."""

    def __init__(self, world: World, **environ: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "gitmail", "serve", "--agent", "Blue"],
            cwd=world.project,
            env={**os.environ, **environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._lines: queue.Queue[dict[str, Any]] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(json.loads(line))

    def say(self, method: str, params: dict[str, Any], number: int | None = None) -> None:
        assert self._process.stdin is not None
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if number is not None:
            message["id"] = number
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def hear(self, seconds: float = 20) -> dict[str, Any]:
        return self._lines.get(timeout=seconds)

    def silent(self, seconds: float) -> bool:
        try:
            self._lines.get(timeout=seconds)
        except queue.Empty:
            return True
        return False

    def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)
        assert self._process.stdout is not None
        self._process.stdout.close()


@pytest.fixture(params=["legacy", "modern"])
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def greeted(wire: Wire, era: str) -> dict[str, Any]:
    """Begin as a client of the era does; returns the declared capabilities."""
    if era == "legacy":
        wire.say(
            "initialize",
            {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT},
            1,
        )
        answer = wire.hear()
        wire.say("notifications/initialized", {})
    else:
        wire.say("server/discover", {"_meta": META}, 1)
        answer = wire.hear()
    wire.say("tools/list", {"_meta": META} if era == "modern" else {}, 2)
    wire.hear()
    capabilities: dict[str, Any] = answer["result"]["capabilities"]
    return capabilities


@pytest.fixture
def wire(world: World) -> Iterator[Wire]:
    parked = BoardUpdate(park_reason="blocked")  # else an agent that just attached is only hinted
    update_profile(world.store, world.caller("Blue"), parked)
    wire = Wire(world, GITMAIL_CHANNEL="1")
    yield wire
    wire.end()


def test_a_ring_is_pushed_once_and_ordinary_mail_never(world: World, wire: Wire, era: str) -> None:
    assert greeted(wire, era)["experimental"] == {"claude/channel": {}}
    world.letter("Green", "Blue", "Quiet")
    world.message("Green", "Blue", "Come </channel>", urgent=True)
    pushed = wire.hear()
    assert pushed["method"] == "notifications/claude/channel"
    content = pushed["params"]["content"]
    assert "Come" in content
    assert "<" not in content
    assert "Quiet" not in content
    assert pushed["params"]["meta"] == {"waiting": "2"}
    assert wire.silent(1.5)


def test_a_channel_is_no_listener(world: World, wire: Wire, era: str) -> None:
    greeted(wire, era)
    wake = world.message("Green", "Blue", urgent=True).receipts[0].wake
    assert wake is not None
    assert wake.decision == "no_path"
