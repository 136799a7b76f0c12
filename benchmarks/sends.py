"""The median send at several sizes, and the same letter by git's other ways, in turn."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.stores import AGENTS, BODY, caller, make_store
from gitmail.git.environment import git_environment
from gitmail.git.process import inherited
from gitmail.mail.acknowledge import acknowledge
from gitmail.mail.send import Outgoing, send_letter
from gitmail.store.store import Store
from gitmail.values.ids import new_id

Progress = Callable[[str], None]


@dataclass(slots=True)
class Row:
    """What one way of sending cost at one size, in milliseconds."""

    way: str
    letters: int
    times: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.times)

    @property
    def p95(self) -> float:
        return sorted(self.times)[int(0.95 * (len(self.times) - 1))]


def measure_sends(folder: Path, sizes: list[int], rounds: int, progress: Progress) -> list[Row]:
    """Return rows for gitmail at every size, and for git's ways up to 10,000 files.

    Every round does one of each, so that a slow moment of the machine slows them all.
    """
    ways: list[tuple[Row, Callable[[], None]]] = []
    stores: list[Store] = []
    for size in sizes:
        progress(f"making a store of {size:,} letters")
        store = make_store(folder / f"store-{size}", size)
        stores.append(store)
        ways.append((Row("gitmail", size), _gitmail(store)))
    for size in [size for size in sizes if size <= 10_000]:
        progress(f"making plain repositories of {size:,} files")
        plain = _plain_repository(folder / f"plain-{size}", size)
        ways.append((Row("git add + git commit", size), _command_line(plain)))
        copy = Path(shutil.copytree(plain, folder / f"gitpython-{size}"))
        ways.append((Row("GitPython IndexFile", size), _gitpython(copy)))
    for number in range(rounds + 2):
        progress(f"sending, round {number + 1} of {rounds + 2}")
        for row, act in ways:
            slow = row.way != "gitmail" and row.letters >= 10_000
            if slow and number % 5:
                continue
            began = time.perf_counter()
            act()
            if number >= 2:
                row.times.append((time.perf_counter() - began) * 1000)
    for store in stores:
        store.close()
    return [row for row, _ in ways]


def _gitmail(store: Store) -> Callable[[], None]:
    sender, receiver = caller(AGENTS[0]), caller(AGENTS[1])
    waiting: list[str] = []

    def act() -> None:
        sent = send_letter(
            store,
            sender,
            Outgoing((AGENTS[1],), "Token rotation needs your review", BODY, ack_required=True),
        )
        waiting.append(sent.letter.id)

    for _ in range(10):  # the same mailbox activity at every size
        act()
    acknowledge(store, receiver, waiting[-5:])
    return act


def _plain_repository(path: Path, files: int) -> Path:
    path.mkdir()
    _git(path, "init", "-q", "-b", "main")
    for number in range(files):
        file = path / "mail" / f"agent{number % 10}" / f"{number // 1000:03d}" / f"{number:06d}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{number}\n{BODY}", encoding="utf-8")
    _git(path, "add", "-A")
    _git(path, "commit", "-q", "-m", "all")
    return path


def _command_line(path: Path) -> Callable[[], None]:
    def act() -> None:
        name = _new_file(path)
        _git(path, "add", "--", name)
        _git(path, "commit", "-q", "-m", "mail: a -> b: Token rotation", "--", name)

    return act


def _gitpython(path: Path) -> Callable[[], None]:
    import git

    repository = git.Repo(path)

    def act() -> None:
        repository.index.add([_new_file(path)])
        repository.index.commit("mail: a -> b: Token rotation", skip_hooks=True)

    return act


def _new_file(path: Path) -> str:
    name = f"mail/agent1/inbox/{new_id()}.md"
    file = path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{name}\n{BODY}", encoding="utf-8")
    return name


def _git(path: Path, *args: str) -> None:
    who = ["-c", "user.name=Pat Person", "-c", "user.email=pat@example.com", "-c", "gc.auto=0"]
    subprocess.run(
        ["git", *who, *args],
        cwd=path,
        env=git_environment(inherited()),
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
