"""Reading: fetch_inbox with texts, and search, at 100 letters and at many."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.others import Figure
from benchmarks.stores import BODY, caller, make_store
from gitmail.index.search import EVERYTHING, SearchFilter
from gitmail.mail.inbox import inbox_page
from gitmail.mail.reading import search, thread_page
from gitmail.mail.send import Outgoing, send_letter
from gitmail.store.store import Store

FEW = 100
READER = "Agent00"
PAGE = 20
BOUND_MS = 50
QUERIES = {
    "a word of every letter": ("token", EVERYTHING),
    "five words of every letter": ("the refresh token is rotated", EVERYTHING),
    "one letter's own number": ("part 41", EVERYTHING),
    "a hyphenated id": ("POL-358", EVERYTHING),
    "no letter has them all": ("token zebra rotation", EVERYTHING),
    "a word nobody wrote": ("zebra", EVERYTHING),
    "of one agent": ("token", SearchFilter(agent=READER)),
    "of one thread": ("token", SearchFilter(thread="T-42")),
}


def reads(folder: Path, letters: int, rounds: int) -> list[Figure]:
    """Return what looking costs in a store of `letters`, and against one of 100."""
    stores = {size: _filled(folder / f"reads-{size}", size) for size in (FEW, letters)}
    try:
        return [
            *_inboxes(stores, rounds),
            *(_searched(stores[letters], letters, name, rounds) for name in QUERIES),
        ]
    finally:
        for store in stores.values():
            store.close()


def _filled(path: Path, size: int) -> Store:
    """Return a store with a page of fresh letters for one reader on top."""
    store = make_store(path, size)
    for number in range(PAGE):
        text = f"{BODY}\nSee POL-358, letter {number}."
        send_letter(store, caller("Agent01"), Outgoing((READER,), f"Fresh {number}", text))
    return store


def _inboxes(stores: dict[int, Store], rounds: int) -> list[Figure]:
    """Measure in turn, so that whatever else the machine does meets all of them."""
    ways: dict[str, Callable[[Store], object]] = {
        "fetch_inbox, 20 letters with texts": lambda store: inbox_page(
            store, READER, limit=PAGE, bodies=True
        ),
        "fetch_inbox, 20 letters, headers": lambda store: inbox_page(store, READER, limit=PAGE),
        "fetch_thread, 1 of 97 threads": lambda store: thread_page(store, READER, "T-42", limit=1),
    }
    figures = []
    for what, ask in ways.items():
        times: dict[int, list[float]] = {size: [] for size in stores}
        for _ in range(rounds):
            for size, store in stores.items():
                times[size].append(_milliseconds(partial(ask, store)))
        (few, base), (many, large) = (
            (size, statistics.median(found)) for size, found in times.items()
        )
        value = f"{base:.1f} ms at {few:,}, {large:.1f} ms at {many:,}: {large / base:.2f} ×"
        figures.append(Figure(what, value, "1.5 ×"))
    return figures


def _searched(store: Store, letters: int, name: str, rounds: int) -> Figure:
    query, filters = QUERIES[name]
    times = [_milliseconds(lambda: search(store, READER, query, filters)) for _ in range(rounds)]
    value = f"{statistics.median(times):.1f} ms, worst {max(times):.1f} ms"
    return Figure(f"search {letters:,} letters: {name}", value, f"{BOUND_MS} ms")


def _milliseconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000
