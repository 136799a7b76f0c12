"""The other figures: start-up, rebuild, fan-out, many writers, through the server."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.stores import AGENTS, BODY, caller, make_store
from gitmail.mail.message import Message, send
from gitmail.mail.send import Outgoing, send_letter
from gitmail.values.ids import new_id

WRITERS = 8
EACH = 25

_WRITER = """
import json, sys, time
from pathlib import Path
from benchmarks.stores import PERSON, BODY, caller
from gitmail.mail.send import Outgoing, send_letter
from gitmail.store.store import Store
store, name, count = Store(Path(sys.argv[1]), PERSON), sys.argv[2], int(sys.argv[3])
me, waits = caller(name), []
send_letter(store, me, Outgoing(("Agent09",), f"{name} is ready", BODY))  # modules are loaded
print("ready", flush=True)
sys.stdin.readline()
for number in range(count):
    began = time.perf_counter()
    send_letter(store, me, Outgoing(("Agent09",), f"from {name} {number}", BODY))
    waits.append(time.perf_counter() - began)
print(json.dumps(waits), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure and the bound it is held against."""

    what: str
    value: str
    bound: str = ""


def start_up(project: Path, runs: int = 11) -> list[Figure]:
    """Compare `gitmail inbox` and `gitmail send` with an interpreter that does nothing."""
    env = {**os.environ, "GITMAIL_AGENT": "BlueLake"}
    commands = {
        "pass": [sys.executable, "-c", "pass"],
        "inbox": [sys.executable, "-m", "gitmail", "inbox"],
        "send": [sys.executable, "-m", "gitmail", "send", "BlueLake", "-s", "Hi", "-m", "x"],
    }
    for args in (["init"], ["register", "BlueLake"]):
        subprocess.run(
            [sys.executable, "-m", "gitmail", *args],
            cwd=project, env=env, check=True, capture_output=True,
        )  # fmt: skip
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            began = time.perf_counter()
            subprocess.run(command, cwd=project, env=env, check=True, capture_output=True)
            times[name].append(time.perf_counter() - began)
    base = statistics.median(times["pass"])
    figures = [Figure("python -c pass", f"{base * 1000:.0f} ms")]
    for name, bound in (("inbox", "8"), ("send", "15")):
        median = statistics.median(times[name])
        figures.append(
            Figure(
                f"gitmail {name}", f"{median * 1000:.0f} ms = {median / base:.1f} ×", f"{bound} ×"
            )
        )
    return figures


def rebuild(folder: Path, letters: int = 10_000) -> Figure:
    """Delete the index of a store and time the next answer."""
    store = make_store(folder / f"rebuild-{letters}", letters)
    store.index_view.discard()
    began = time.perf_counter()
    store.read(lambda view: view.main)
    seconds = time.perf_counter() - began
    store.close()
    return Figure(f"rebuilding the index of {letters:,} letters", f"{seconds:.1f} s", "5 s")


def fan_out(folder: Path, recipients: int = 50, rounds: int = 15) -> list[Figure]:
    """Compare a letter to fifty with a letter to one."""
    store = make_store(folder / "fan-out", 100)
    names = [f"Other{number:02d}" for number in range(recipients)]
    for name in names:
        send_letter(store, caller(name), Outgoing((AGENTS[0],), "Hello", "I am here."))
    times: dict[int, list[float]] = {1: [], recipients: []}
    for _ in range(rounds):
        for count, found in times.items():
            began = time.perf_counter()
            send_letter(store, caller(AGENTS[0]), Outgoing(tuple(names[:count]), "Hello all", BODY))
            found.append(time.perf_counter() - began)
    store.close()
    one, many = statistics.median(times[1]), statistics.median(times[recipients])
    return [Figure(f"to {recipients} at once", f"{many * 1000:.1f} ms = {many / one:.1f} × to one")]


def writers(folder: Path, pairs: int = 3) -> list[Figure]:
    """Compare eight writing processes with one, and tell the longest single wait."""
    ratios, worst, alone, together = [], 0.0, 0.0, 0.0
    for number in range(pairs):
        path = folder / f"writers-{number}"
        make_store(path, 100).close()
        alone, _ = _race(path, 1, EACH * 2)
        together, longest = _race(path, WRITERS, EACH)
        ratios.append(together / alone)
        worst = max(worst, longest)
    path = folder / "writers-30"
    make_store(path, 100).close()
    _, thirty = _race(path, 30, 5)
    return [
        Figure(
            f"{WRITERS} writers against one",
            f"{statistics.median(ratios):.2f} of its letters a second "
            f"({together:.0f} and {alone:.0f})",
            "at least 0.6",
        ),
        Figure(f"longest wait, {WRITERS} × {EACH} sends", f"{worst:.2f} s", "1 s"),
        Figure("longest wait, 30 × 5 sends", f"{thirty:.2f} s", "1.5 s"),
    ]


def _race(path: Path, count: int, each: int) -> tuple[float, float]:
    """Return letters a second and the longest single send of `count` processes."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(path), AGENTS[number % 9], str(each)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for number in range(count)
    ]  # fmt: skip
    for process in processes:
        assert process.stdout is not None
        process.stdout.readline()
    began = time.perf_counter()
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    waits = [json.loads(process.communicate()[0]) for process in processes]
    seconds = time.perf_counter() - began
    return count * each / seconds, max(max(one) for one in waits)


def through_server(project: Path, rounds: int = 40) -> list[Figure]:
    """Compare memory_message send over stdio with the same send by the library."""
    from gitmail.store.location import find_project, open_store

    store = open_store(find_project(project, None))
    times: dict[str, list[float]] = {"library": [], "server": []}
    asyncio.run(_both_ways(project, store, rounds, times))
    store.close()
    library, server = (statistics.median(times[way]) for way in ("library", "server"))
    return [
        Figure(
            "send through the server",
            f"{server * 1000:.1f} ms = {server / library:.1f} × the library's",
            "2.5 ×",
        )
    ]


async def _both_ways(
    project: Path, store: object, rounds: int, times: dict[str, list[float]]
) -> None:
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "gitmail", "serve", "--agent", "BlueLake"],
        cwd=str(project),
        env=dict(os.environ),
    )
    me = caller("BlueLake")
    async with Client(stdio_client(parameters)) as client:
        for number in range(rounds + 3):
            arguments = {"action": "send", "to": "BlueLake", "text": BODY, "request_id": new_id()}
            began = time.perf_counter()
            result = await client.call_tool("memory_message", arguments)
            middle = time.perf_counter()
            assert not result.is_error, result
            send(store, me, Message(BODY, new_id(), to="BlueLake"))  # type: ignore[arg-type]
            if number >= 3:
                times["server"].append(middle - began)
                times["library"].append(time.perf_counter() - middle)


Step = Callable[[], list[Figure]]
