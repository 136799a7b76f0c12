"""Letters, notes and commits for the index's tests, and a tree of them as plain data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from gitmail.format.agents import agent_to_bytes
from gitmail.format.letters import letter_to_bytes
from gitmail.format.memories import memory_to_bytes
from gitmail.index.apply import AppliedCommit, FileChange, apply
from gitmail.index.index import Index
from gitmail.values.agent import Agent
from gitmail.values.letter import Letter, Marks
from gitmail.values.memory import Memory
from gitmail.values.paths import (
    agent_path,
    archive_path,
    inbox_path,
    letter_file_name,
    memory_path,
)

START = datetime(2026, 11, 30, 20, 0, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def hex_id(number: int) -> str:
    return hashlib.md5(str(number).encode()).hexdigest()


def blob_of(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()


def a_letter(number: int = 1, **changes: object) -> Letter:
    letter = Letter(
        id=hex_id(number),
        sender="BlueLake",
        to=("GreenCastle",),
        subject=f"Letter {number}",
        date=at(number),
        text=f"Please look at POL-{number} in src/auth.py.",
    )
    return replace(letter, **changes)  # type: ignore[arg-type]


def letter_at(
    letter: Letter, owner: str, marks: Marks | None = None, *, archived: bool = False
) -> str:
    file = letter_file_name(letter)
    return archive_path(owner, letter.date, file) if archived else inbox_path(owner, file)


def a_memory(number: int, text: str = "Staging box is haze-02.", **changes: object) -> Memory:
    memory = Memory(number, hex_id(number), f"Note {number}", text, "BlueLake", at(number))
    return replace(memory, **changes)  # type: ignore[arg-type]


def an_agent(name: str, **changes: object) -> Agent:
    agent = Agent(id=hex_id(hash_of(name)), name=name, registered_at=at(0))
    return replace(agent, **changes)  # type: ignore[arg-type]


def hash_of(name: str) -> int:
    return int(hashlib.md5(name.casefold().encode()).hexdigest()[:8], 16)


def memory_file(memory: Memory, *, superseded: bool = False) -> tuple[str, bytes]:
    return memory_path(memory.number, memory.title, superseded), memory_to_bytes(memory)


def agent_file(agent: Agent) -> tuple[str, bytes]:
    return agent_path(agent.name), agent_to_bytes(agent)


def letter_file(
    letter: Letter, owner: str, marks: Marks | None = None, *, archived: bool = False
) -> tuple[str, bytes]:
    path = letter_at(letter, owner, archived=archived)
    return path, letter_to_bytes(letter, marks or Marks())


@dataclass
class History:
    """Commits over a tree kept as a dict; each can be applied to any number of indexes."""

    tree: dict[str, bytes] = field(default_factory=dict)
    commits: list[tuple[AppliedCommit, list[FileChange]]] = field(default_factory=list)

    def commit(
        self,
        files: Mapping[str, bytes | None] | Iterable[tuple[str, bytes | None]],
        author: str = "BlueLake",
        message: str = "mail: something\n",
    ) -> str:
        number = len(self.commits)
        changes = []
        for path, data in dict(files).items():
            old = self.tree.get(path)
            if old == data:
                continue
            changes.append(
                FileChange(
                    path,
                    None if old is None else blob_of(old),
                    None if data is None else blob_of(data),
                    data,
                )
            )
            if data is None:
                self.tree.pop(path, None)
            else:
                self.tree[path] = data
        sha = hashlib.sha1(f"{number}{sorted(self.tree)}".encode()).hexdigest()
        self.commits.append((AppliedCommit(sha, author, 1_800_000_000 + number, message), changes))
        return sha

    def apply_to(self, index: Index, start: int = 0) -> None:
        for commit, changes in self.commits[start:]:
            apply(index, commit, changes)
            index.set_marker(commit.sha)

    def rebuilt(self, folder: Path) -> Index:
        folder.mkdir(exist_ok=True)
        return Index.create(folder / "index.sqlite", self.apply_to)
