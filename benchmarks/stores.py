"""Stores of a given size, made quickly: history by `git fast-import`, files written plainly.

What is measured afterwards goes the ordinary way; only the past is made up. The letters were
handled long ago, as in a real old store: what a mailbox holds open stays small at any size.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from gitmail.board.caller import Caller
from gitmail.format.agents import agent_to_bytes
from gitmail.format.letters import letter_to_bytes
from gitmail.git.commits import Person
from gitmail.git.process import start
from gitmail.store.create import create_store
from gitmail.store.store import Store, system_clock
from gitmail.values import sentences
from gitmail.values.agent import Agent
from gitmail.values.ids import new_id
from gitmail.values.letter import Letter, Marks
from gitmail.values.names import agent_email
from gitmail.values.paths import agent_path, archive_path, keep_path, letter_file_name

AGENTS = tuple(f"Agent{number:02d}" for number in range(10))
PERSON = Person("Pat Person", "pat@example.com")
BODY = "The refresh token is rotated on every use now, so two tabs race for it.\n" * 12
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)

_File = tuple[str, bytes]


def make_store(path: Path, letters: int) -> Store:
    """Return an opened store with ten agents and `letters` handled letters, one commit each."""
    create_store(path, "bench", PERSON, ["PatPerson"], sys.executable, system_clock)
    (path / "gitmail.toml").write_text(
        'format = 1\nname = "bench"\n[limits]\nrequests_per_minute = 0\n'
        "pending_per_mailbox = 0\nunhandled_per_mailbox = 0\n",
        encoding="utf-8",
    )
    files = [("gitmail.toml", (path / "gitmail.toml").read_bytes()), *agent_files()]
    _import(path, _stream(path, files, letters))
    store = Store(path, PERSON)
    (store.private.tree_marker).write_text(store.main() + "\n", encoding="ascii")
    store.read(lambda view: view.main)
    return store


def caller(name: str) -> Caller:
    """Return one of the store's agents as a caller."""
    return Caller(name, new_id())


def import_history(path: Path, commits: Iterable[tuple[str, datetime, str, list[_File]]]) -> None:
    """Put commits (author, date, message, new files) on top of a new store, and their files."""

    def stream() -> Iterator[bytes]:
        first = True
        for author, date, message, files in commits:
            yield _commit(author, date, message, files, first)
            for name, data in files:
                _write(path / name, data)
            first = False

    _import(path, stream())


def agent_files() -> Iterator[_File]:
    """Yield the files of the ten agents."""
    for name in AGENTS:
        agent = Agent(id=new_id(), name=name, registered_at=BEGAN, project="bench")
        yield agent_path(name), agent_to_bytes(agent)
        yield keep_path(name), b""


def _letters(count: int) -> Iterator[tuple[Letter, _File]]:
    step = timedelta(days=300) / max(count, 1)
    for number in range(count):
        date = BEGAN + number * step
        sender, to = AGENTS[number % 10], AGENTS[(number * 7 + 3) % 10]
        letter = Letter(
            id=new_id(),
            sender=sender,
            to=(to,),
            subject=f"Token rotation, part {number}",
            date=date,
            text=BODY,
            thread=f"T-{number % 97}",
            ack_required=True,
        )
        marks = Marks(date, date, date)
        path = archive_path(to, date, letter_file_name(letter))
        yield letter, (path, letter_to_bytes(letter, marks))


def _stream(path: Path, files: list[_File], letters: int) -> Iterator[bytes]:
    first = True
    for letter, file in _letters(letters):
        message = sentences.render(sentences.mail(letter))
        changed = [*files, file] if first else [file]
        yield _commit(letter.sender, letter.date, message, changed, first)
        for name, data in changed:
            _write(path / name, data)
        first = False
    if first:
        yield _commit("Agent00", BEGAN, "board: ten agents\n", files, True)
        for name, data in files:
            _write(path / name, data)


def _commit(author: str, date: datetime, message: str, files: list[_File], first: bool) -> bytes:
    when = int(date.timestamp())
    text = message.encode()
    lines = [
        b"commit refs/heads/main",
        f"author {author} <{agent_email(author)}> {when} +0000".encode(),
        f"committer {PERSON.name} <{PERSON.email}> {when} +0000".encode(),
        b"data %d\n%s" % (len(text), text),
    ]
    if first:
        lines.append(b"from refs/heads/main^0")
    for name, data in files:
        lines.append(b"M 100644 inline " + name.encode())
        lines.append(b"data %d\n%s" % (len(data), data))
    return b"\n".join(lines) + b"\n\n"


def _write(file: Path, data: bytes) -> None:
    os.makedirs(file.parent, exist_ok=True)
    file.write_bytes(data)


def _import(path: Path, stream: Iterator[bytes]) -> None:
    git = start(
        ["fast-import", "--quiet", "--force"],
        git_dir=path / ".git",
        stdin=subprocess.PIPE,
    )
    assert git.stdin is not None
    for chunk in stream:
        git.stdin.write(chunk)
    git.stdin.close()
    if git.wait() != 0:
        raise RuntimeError("git fast-import failed")
