"""What a person sees of a correspondence: folders, a file, a history, and one answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitmail.demo.failure import DemoFailed
from gitmail.demo.references import resolve
from gitmail.demo.script import Script
from gitmail.demo.stage import Stage, git

_LOG_FORMAT = "--format=%h  %<(12,trunc)%an %s"


@dataclass(frozen=True, slots=True)
class Section:
    """One thing to look at: a title, and lines that may hold whatever a letter holds."""

    title: str
    lines: tuple[str, ...]


def sections(stage: Stage, script: Script, saved: Mapping[str, Any]) -> Iterator[Section]:
    """Yield what there is to see; `saved` are the results of the steps by name."""
    mail = stage.store / "mail"
    yield Section("The mailboxes are folders", ("mail/", *_tree(mail, "  ")))
    letter = _letter_file(mail / script.exhibit.owner, resolve(script.exhibit.letter, saved))
    text = letter.read_text(encoding="utf-8")
    path = letter.relative_to(stage.store)
    yield Section("A letter is a file", (str(path), "", *text.splitlines()))
    log = git(stage, stage.store, "log", _LOG_FORMAT, "main")
    yield Section("git -C .git/gitmail log", tuple(log.splitlines()))
    yield Section("An answer of fetch_inbox", tuple(_answer(saved[script.exhibit.answer])))
    if script.exhibit.stopped is not None:
        screen = saved[script.exhibit.stopped]["screen"]
        yield Section("A commit that was stopped", tuple(screen))


def _tree(folder: Path, indent: str) -> Iterator[str]:
    for entry in sorted(folder.iterdir()):
        if entry.is_dir():
            entry, name = _only_child(entry)
            yield f"{indent}{name}/"
            yield from _tree(entry, indent + "  ")
        elif not entry.name.startswith("."):
            yield f"{indent}{entry.name}"


def _only_child(folder: Path) -> tuple[Path, str]:
    """Follow folders that hold nothing but one folder: archive/2026/11/30 is one line."""
    name = folder.name
    while len(inside := list(folder.iterdir())) == 1 and inside[0].is_dir():
        folder = inside[0]
        name = f"{name}/{folder.name}"
    return folder, name


def _letter_file(mailbox: Path, message_id: str) -> Path:
    found = sorted(mailbox.rglob(f"*-{message_id[:8]}-*.md"))
    if len(found) != 1:
        raise DemoFailed(f"{mailbox} holds {len(found)} files of the letter {message_id}, not 1.")
    return found[0]


def _answer(result: Mapping[str, Any]) -> Iterator[str]:
    answer = {key: value for key, value in result.items() if key != "sent"}
    yield from json.dumps(answer, indent=2, ensure_ascii=False).splitlines()
