"""Notes: what storing, reading, searching and clustering cost at 1,000 and at 50,000 of them."""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, ExitStack
from datetime import datetime, timedelta
from pathlib import Path

from benchmarks.others import Figure
from benchmarks.stores import AGENTS, BEGAN, PERSON, agent_files, caller, import_history
from gitmail.format.memories import memory_to_bytes
from gitmail.git.process import run
from gitmail.memory.candidates import consolidation_candidates
from gitmail.memory.history import get_note
from gitmail.memory.searching import search_notes
from gitmail.memory.storing import store_note
from gitmail.store.create import create_store
from gitmail.store.store import Store, system_clock
from gitmail.values import sentences
from gitmail.values.ids import new_id
from gitmail.values.memory import Memory
from gitmail.values.paths import memory_path

SIZES = (1_000, 50_000)
VOCABULARY = 4_000
WORDS = 24
"""Words of a note; like words of a language, the n-th is met about 1/n as often as the first."""

WARM_UP = 3
Times = dict[tuple[str, int], list[float]]
"""Milliseconds by what was called and the number of notes."""
Call = Callable[[int], object]
"""One measured call; the number makes each a different one."""


def memories(folder: Path, rounds: int = 40) -> list[Figure]:
    """Return figures for both sizes, by the library and as a client of the server sees them."""
    times: Times = {}
    seconds = 0.0
    projects = {size: _project(folder / f"notes-{size}", size) for size in SIZES}
    with ExitStack() as ending:
        calls: dict[tuple[str, int], Call] = {}
        for size, project in projects.items():
            store = ending.enter_context(Store(project / ".git" / "gitmail", PERSON))
            calls |= {(name, size): call for name, call in _calls(store, size).items()}
            began = time.perf_counter()
            consolidation_candidates(store)
            seconds = time.perf_counter() - began
        for number in range(rounds + WARM_UP):
            for key, call in calls.items():
                began = time.perf_counter()
                call(number)
                _keep(times, key, number, began)
    asyncio.run(_through_servers(projects, rounds, times))
    names = dict.fromkeys(name for name, _ in times)
    figures = [_figure(name, *(times[name, size] for size in SIZES)) for name in names]
    return [*figures, Figure(f"candidates of {SIZES[1]:,} notes", f"{seconds:.1f} s", "10 s")]


def _keep(times: Times, key: tuple[str, int], number: int, began: float) -> None:
    if number >= WARM_UP:
        times.setdefault(key, []).append((time.perf_counter() - began) * 1000)


def _figure(name: str, small: list[float], large: list[float]) -> Figure:
    one, other = statistics.median(small), statistics.median(large)
    value = f"{one:.2f} ms and {other:.2f} ms = {other / one:.1f} ×"
    return Figure(f"{name}, {SIZES[0]:,} and {SIZES[1]:,} notes", value, "2 ×")


def _calls(store: Store, size: int) -> dict[str, Call]:
    me, asked = caller(AGENTS[0]), random.Random(7)
    texts, questions = _texts(99), [_question(asked) for _ in range(200)]
    return {
        "storing a note": lambda _: store_note(store, me, next(texts)),
        "getting a note": lambda number: get_note(store, 1 + number * 17 % size),
        "searching (top 8)": lambda number: search_notes(store, questions[number]),
    }


async def _through_servers(projects: dict[int, Path], rounds: int, times: Times) -> None:
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    async with AsyncExitStack() as ending:
        clients = {}
        for size, project in projects.items():
            arguments = ["-m", "gitmail", "serve", "--agent", AGENTS[1]]
            start = StdioServerParameters(
                command=sys.executable, args=arguments, cwd=str(project), env=dict(os.environ)
            )
            clients[size] = await ending.enter_async_context(Client(stdio_client(start)))
        texts, chance = _texts(77), random.Random(7)
        for number in range(rounds + WARM_UP):
            text, question = next(texts), _question(chance)
            for size, client in clients.items():
                for tool, arguments in (
                    ("memory_store", {"text": text}),
                    ("memory_get", {"entry_id": 1 + number * 17 % size}),
                    ("memory_search", {"query": question}),
                ):
                    began = time.perf_counter()
                    answer = await client.call_tool(tool, arguments)
                    _keep(times, (tool, size), number, began)
                    assert not answer.is_error, answer


def _project(path: Path, size: int) -> Path:
    """Make a project whose store holds `size` notes; returns its folder."""
    path.mkdir()
    run(["init", "-q", str(path)], git_dir=None, cwd=path)
    top = path / ".git" / "gitmail"
    create_store(top, "bench", PERSON, [], sys.executable, system_clock)
    import_history(top, _commits(size))
    with Store(top, PERSON) as store:
        store.private.tree_marker.write_text(store.main() + "\n", encoding="ascii")
        store.read(lambda view: view.main)
    return path


def _commits(size: int) -> Iterator[tuple[str, datetime, str, list[tuple[str, bytes]]]]:
    config = ("gitmail.toml", b'format = 1\nname = "bench"\n')
    files, texts = [config, *agent_files()], _texts(1)
    step = timedelta(days=300) / size
    for number in range(1, size + 1):
        text = next(texts)
        author = AGENTS[number % len(AGENTS)]
        title = text.partition(".")[0][:60]
        note = Memory(number, new_id(), title, text, author, BEGAN + number * step)
        message = sentences.render(sentences.memory_stored(author, number, title))
        files.append((memory_path(number, title), memory_to_bytes(note)))
        yield author, note.created_at, message, files
        files = []


def _texts(seed: int) -> Iterator[str]:
    chance = random.Random(seed)
    while True:
        words = " ".join(_word(chance) for _ in range(WORDS))
        yield f"{words.capitalize()}. See POL-{chance.randrange(100_000)}."


def _question(chance: random.Random) -> str:
    return " ".join(_word(chance) for _ in range(3))


def _word(chance: random.Random) -> str:
    rank = int(VOCABULARY ** chance.random())
    letters = "bcdfghklmnprstvz"
    return "".join(
        letters[rank >> shift & 15] + "aeiou"[(rank >> shift) % 5] for shift in (0, 4, 8)
    )
