"""Waking: from a commit in one process to the hint in another, hook calls, and an idle server."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

from benchmarks.others import Figure
from benchmarks.stores import AGENTS, BODY, PERSON, caller
from gitmail.board.agents import register
from gitmail.mail.send import Outgoing, send_letter
from gitmail.store.create import create_store
from gitmail.store.store import Store, system_clock

LISTENER_NAME = "Sleeper"

_LISTENER = """
import sys, time
from pathlib import Path
from benchmarks.stores import PERSON
from gitmail.board.caller import Caller
from gitmail.mail.notifier import Notifier
from gitmail.mail.waiting import begin_listening, wait_for
from gitmail.store.store import Store
store, me = Store(Path(sys.argv[1]), PERSON), Caller("Sleeper", "0" * 32)
begin_listening(store, "Sleeper", "bench")
with Notifier(store, "Sleeper") as notifier:
    print("ready", flush=True)
    while True:
        woken = wait_for(store, me, 60, key="bench", notifier=notifier)
        now = time.time()
        for letter in woken.letters:
            print(letter.id, now, flush=True)
"""
_SENDER = """
import sys, time
from pathlib import Path
from benchmarks.stores import PERSON, BODY, caller
from gitmail.mail.send import Outgoing, send_letter
from gitmail.store.store import Store
store = Store(Path(sys.argv[1]), PERSON)
for number in range(int(sys.argv[3])):
    send_letter(store, caller(sys.argv[2]), Outgoing(("Sleeper",), f"Letter {number}", BODY))
"""


def waking(project: Path, *, letters: int = 60, calls: int = 40, idle: float = 30) -> list[Figure]:
    """Measure everything in a new project; seconds of an idle server in `idle`."""
    path = project / ".git" / "gitmail"
    create_store(path, "bench", PERSON, [], sys.executable, system_clock)
    (path / "gitmail.toml").write_text(
        'format = 1\nname = "bench"\n[limits]\nrequests_per_minute = 0\nunhandled_per_mailbox = 0\n'
    )
    with Store(path, PERSON) as store:
        register(store, LISTENER_NAME)
        figures = [_idle_latency(store, letters), _storm_latency(store, letters)]
    return [*figures, *_hook_calls(project, calls), _idle_server(project, idle)]


def _idle_latency(store: Store, letters: int) -> Figure:
    sent: dict[str, float] = {}
    listener = _listener(store)
    for number in range(letters):
        time.sleep(0.15)
        done = send_letter(
            store, caller(AGENTS[0]), Outgoing((LISTENER_NAME,), f"Letter {number}", BODY)
        )
        sent[done.letter.id] = done.letter.date.timestamp()
    heard = _heard(listener, letters)
    return _latency("commit to hint, idle", [heard[one] - sent[one] for one in sent], "300 ms")


def _storm_latency(store: Store, letters: int, senders: int = 4) -> Figure:
    listener = _listener(store)
    processes = [
        subprocess.Popen([sys.executable, "-c", _SENDER, str(store.path), name, str(letters)])
        for name in AGENTS[:senders]
    ]
    heard = _heard(listener, senders * letters)
    for process in processes:
        process.wait()
    dates = _dates(store)
    waits = [moment - dates[one] for one, moment in heard.items()]
    return _latency(f"commit to hint, {senders} senders at full speed", waits, "1,000 ms")


def _dates(store: Store) -> dict[str, float]:
    """Return when each waiting letter was decided on, which is a little before its commit."""
    from gitmail.mail.inbox import waiting

    rows = waiting(store, LISTENER_NAME, limit=100_000).waiting
    return {row.letter.id: datetime.timestamp(row.letter.date) for row in rows}


def _listener(store: Store) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _LISTENER, str(store.path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    return process


def _heard(listener: subprocess.Popen[str], letters: int) -> dict[str, float]:
    assert listener.stdout is not None
    lines = (listener.stdout.readline().split() for _ in range(letters))
    heard = {one: float(moment) for one, moment in lines}
    listener.kill()
    listener.communicate()
    return heard


def _latency(what: str, seconds: list[float], bound: str) -> Figure:
    found = [one * 1000 for one in seconds]
    p95 = statistics.quantiles(found, n=20)[-1]
    value = f"median {statistics.median(found):.0f} ms, p95 {p95:.0f} ms, max {max(found):.0f} ms"
    return Figure(f"{what} ({len(found)} letters)", value, f"p95 {bound}")


def _hook_calls(project: Path, calls: int) -> list[Figure]:
    elsewhere = project.parent / "elsewhere"
    elsewhere.mkdir()
    program = Path(sys.executable).with_name("gitmail")
    start = [str(program)] if program.exists() else [sys.executable, "-m", "gitmail"]
    cases = [
        ("python -c pass", [sys.executable, "-c", "pass"], project, ""),
        ("hook, a tool was used", [*start, "hook", "claude", "tool-used"], project, "120 ms"),
        ("hook, no store", [*start, "hook", "claude", "tool-used"], elsewhere, "60 ms"),
    ]
    return [_timed(*case, calls) for case in cases]


def _timed(what: str, command: list[str], cwd: Path, bound: str, calls: int) -> Figure:
    event = {"session_id": "bench", "cwd": str(cwd), "hook_event_name": "PostToolUse"}
    env = {**os.environ, "GITMAIL_AGENT": LISTENER_NAME}
    found = []
    for _ in range(calls):
        began = time.perf_counter()
        subprocess.run(
            command, input=json.dumps(event).encode(), env=env, check=True, capture_output=True
        )
        found.append((time.perf_counter() - began) * 1000)
    p95 = statistics.quantiles(found, n=20)[-1]
    return Figure(what, f"median {statistics.median(found):.0f} ms, p95 {p95:.0f} ms", bound)


def _idle_server(project: Path, seconds: float) -> Figure:
    share = asyncio.run(_share_of_a_core(project, seconds))
    return Figure("idle server, its inbox subscribed to", f"{share:.2%} of a core", "0.5 %")


async def _share_of_a_core(project: Path, seconds: float) -> float:
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "gitmail", "serve", "--agent", LISTENER_NAME],
        cwd=str(project),
        env=dict(os.environ),
    )
    async with (
        Client(stdio_client(command)) as client,
        client.listen(resource_subscriptions=[f"gitmail://inbox/{LISTENER_NAME}"]),
    ):
        await asyncio.sleep(3)
        [process] = _children(os.getpid())
        before = _cpu_seconds(process)
        await asyncio.sleep(seconds)
        return (_cpu_seconds(process) - before) / seconds


def _children(parent: int) -> list[int]:
    found = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [int(one) for one in found]


def _cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
