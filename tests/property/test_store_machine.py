"""Random histories of a store against a plain model of what it must say.

Senders, readers, acknowledgements, notes, undo, pushes from a clone, crashes at any step and
deletions of the index come in any order; after each, every surface says what the model says.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from post_office import (
    AGENTS,
    PAT,
    Forge,
    answers,
    assert_sound,
    caller,
    files_on_disk,
    git,
    index_lines,
    opened,
    post,
    rebuilt_lines,
)

from gitmail.board.agents import list_agents, register
from gitmail.mail.acknowledge import acknowledge, mark_read
from gitmail.mail.history import history
from gitmail.mail.inbox import inbox_page, waiting
from gitmail.mail.receive import receive
from gitmail.store.edits import adopt_edits
from gitmail.store.store import Store
from gitmail.store.undo import undo
from gitmail.values.paths import agent_path

names = st.sampled_from(AGENTS)
STEPS = (
    "locked",
    "tree-written",
    "objects-renamed",
    "lock-linked",
    "reflog-written",
    "ref-moved",
    "tree-exchanged",
    "tree-placed",
    "tree-marked",
    "index-followed",
)
MOVED = STEPS.index("ref-moved")
INDEX_FILES = ("*", "index.sqlite", "index-*.sqlite", "*-wal", "*-shm")


@dataclass
class Copy:
    """What the model knows of one delivery."""

    letter: str
    sender: str
    recipient: str
    ack_required: bool
    first_read: bool = False
    read: bool = False
    acknowledged: bool = False

    @property
    def handled(self) -> bool:
        return self.acknowledged or (self.read and not self.ack_required)

    @property
    def marks(self) -> tuple[bool, bool, bool]:
        return self.first_read, self.read, self.acknowledged


@dataclass
class Model:
    """Letters in order of their dates, and the notes people added to profiles."""

    copies: list[Copy] = field(default_factory=list)
    lines: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in AGENTS})

    def of(self, name: str) -> list[Copy]:
        return [copy for copy in self.copies if copy.recipient == name]


class StoreMachine(RuleBasedStateMachine):
    """One store, one model. `forge` and `template` are set by the test."""

    forge: Forge
    template: Path

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="gitmail-machine-"))
        self.path = self.folder / "store"
        shutil.copytree(self.template, self.path, symlinks=True)
        self.store = Store(self.path, PAT, durable=False)
        self.model = Model()
        self.undoable: list[tuple[str, Any]] = []
        self.number = 0

    @initialize()
    def clone(self) -> None:
        git(self.folder, "clone", "--quiet", str(self.path), "clone")

    def teardown(self) -> None:
        self.store.close()
        assert_sound(self.path)
        shutil.rmtree(self.folder)

    # -- what agents do ------------------------------------------------------------------------

    @rule(sender=names, to=st.sets(names, min_size=1), ack=st.booleans())
    def send(self, sender: str, to: set[str], ack: bool) -> None:
        sent = post(self.store, sender, *sorted(to), ack_required=ack)
        self._sent(sent.letter.id, sender, to, ack)

    def _sent(self, letter: str, sender: str, to: set[str], ack: bool) -> None:
        self.model.copies += [Copy(letter, sender, name, ack) for name in sorted(to)]

    @rule(name=names, limit=st.integers(1, 3), ack=st.booleans())
    def receive(self, name: str, limit: int, ack: bool) -> None:
        wanted = [copy for copy in self.model.of(name) if not copy.handled][:limit]
        page = receive(self.store, caller(name), limit=limit, ack=ack)
        assert [one.letter.id for one in page.messages] == [copy.letter for copy in wanted]
        for copy in wanted:
            copy.first_read = True
            copy.acknowledged = copy.acknowledged or ack
            copy.read = copy.read or ack

    @precondition(lambda self: self.model.copies)
    @rule(data=st.data())
    def acknowledge(self, data: st.DataObject) -> None:
        copy = data.draw(st.sampled_from(self.model.copies))
        before = (copy.marks, self.store.main())
        acknowledge(self.store, caller(copy.recipient), [copy.letter])
        if not copy.acknowledged:
            self.undoable.append((self.store.main(), (copy, copy.marks)))
        else:
            assert self.store.main() == before[1], "the first time wins"
        copy.first_read = copy.read = copy.acknowledged = True

    @precondition(lambda self: self.model.copies)
    @rule(data=st.data())
    def read(self, data: st.DataObject) -> None:
        copy = data.draw(st.sampled_from(self.model.copies))
        mark_read(self.store, caller(copy.recipient), copy.letter)
        copy.first_read = copy.read = True

    @rule(name=names)
    def change_profile(self, name: str) -> None:
        self.number += 1
        register(self.store, name, task=f"Task {self.number}")

    # -- what people do ------------------------------------------------------------------------

    @rule(name=names)
    def edit_note(self, name: str) -> None:
        self.number += 1
        note = self.path / agent_path(name)
        note.write_bytes(note.read_bytes() + f"Line {self.number}.\n".encode())
        assert adopt_edits(self.store).committed == [agent_path(name)]
        self.model.lines[name].append(f"Line {self.number}.")

    @precondition(lambda self: self.undoable)
    @rule()
    def undo(self) -> None:
        commit, (copy, marks) = self.undoable.pop()
        undo(self.store, PAT, commit)
        copy.first_read, copy.read, copy.acknowledged = marks

    @rule(name=names)
    def push_from_a_clone(self, name: str) -> None:
        """A note edit that was made beside whatever happened since the last pull."""
        self.number += 1
        clone = self.folder / "clone"
        note = clone / agent_path(name)
        before = note.read_text(encoding="utf-8")
        note.write_text(f"{before}Line {self.number}.\n", encoding="utf-8")
        git(clone, "commit", "--quiet", "--all", "-m", "by hand")
        pulled = ("pull", "--quiet", "--no-rebase", "--no-edit", "-Xtheirs")
        git(clone, "-c", "merge.directoryRenames=false", *pulled)
        lines = set(note.read_text(encoding="utf-8").splitlines())
        git(clone, "push", "--quiet", "origin", "HEAD:main")
        line = f"Line {self.number}."
        known = [*self.model.lines[name], line]
        self.model.lines[name] = [one for one in known if one in lines]
        self.undoable.clear()

    # -- what goes wrong -----------------------------------------------------------------------

    @rule(sender=names, to=names, step=st.sampled_from(STEPS))
    def send_and_die(self, sender: str, to: str, step: str) -> None:
        """The process dies at a step: the letter is there if main had moved."""
        known = {row.letter.id for row in self._inbox(to)}
        ended = self.forge.run("send", self.path, who=sender, to=[to], kill_at=step)
        assert ended.killed == (step != "tree-exchanged")
        fresh = {row.letter.id for row in self._inbox(to)} - known
        assert len(fresh) == (STEPS.index(step) >= MOVED)
        for letter in fresh:
            self._sent(letter, sender, {to}, False)

    @rule(name=names, step=st.sampled_from(STEPS))
    def receive_and_die(self, name: str, step: str) -> None:
        wanted = [copy for copy in self.model.of(name) if not copy.handled][:50]
        ended = self.forge.run("receive", self.path, who=name, kill_at=step)
        if not ended.killed or STEPS.index(step) >= MOVED:
            for copy in wanted:
                copy.first_read = True

    @rule(pattern=st.sampled_from(INDEX_FILES))
    def lose_index_files(self, pattern: str) -> None:
        for file in (self.path / ".git/gitmail").glob("index*"):
            if file.match(pattern):
                file.unlink()

    @rule()
    def lose_the_tree(self) -> None:
        shutil.rmtree(self.path / "mail", ignore_errors=True)
        (self.path / ".git/gitmail/tree").unlink()

    @rule()
    def open_anew(self) -> None:
        self.store.close()
        self.store = Store(self.path, PAT, durable=False)

    # -- what must be true ---------------------------------------------------------------------

    def _inbox(self, name: str) -> tuple[Any, ...]:
        return inbox_page(self.store, name, limit=1000).rows

    @invariant()
    def every_surface_says_what_the_model_says(self) -> None:
        summaries = {one.agent.name: one for one in list_agents(self.store)}
        assert set(summaries) == set(AGENTS)
        for name in AGENTS:
            copies = self.model.of(name)
            wait = [copy.letter for copy in copies if not copy.handled]
            box = waiting(self.store, name)
            assert [row.letter.id for row in box.waiting] == wait
            assert box.waiting_count == summaries[name].waiting == len(wait)
            page = inbox_page(self.store, name, limit=1000, bodies=True)
            shown = [(row.letter.id, _marks(row)) for row in reversed(page.rows)]
            assert shown == [(copy.letter, copy.marks) for copy in copies]
            unread = sum(not copy.read for copy in copies)
            assert (page.total, page.unread) == (len(copies), unread)
            assert summaries[name].unread == unread
            past = history(self.store, caller(name)).messages
            mine = [copy for copy in self.model.copies if name in (copy.sender, copy.recipient)]
            assert [(one.letter.id, one.row.delivery.recipient) for one in past] == [
                (copy.letter, copy.recipient) for copy in mine[:50]
            ]
            on_disk = list((self.path / "mail" / name / "inbox").glob("*.md"))
            assert len(on_disk) == len(wait)

    @invariant()
    def notes_hold_every_line(self) -> None:
        for name, lines in self.model.lines.items():
            text = (self.path / agent_path(name)).read_text(encoding="utf-8")
            assert [line for line in lines if line not in text] == []

    @invariant()
    def nothing_is_told_as_wrong(self) -> None:
        assert self.store.take_notices() == []


def _marks(row: Any) -> tuple[bool, bool, bool]:
    marks = row.delivery.marks
    return (
        marks.first_read_at is not None,
        marks.read_at is not None,
        marks.acknowledged_at is not None,
    )


def _machine(forge: Forge, template: Path) -> type[StoreMachine]:
    return type("Machine", (StoreMachine,), {"forge": forge, "template": template})


def _settings(examples: int, steps: int) -> settings:
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def test_every_surface_agrees_with_a_model_over_random_histories(
    forge: Forge, template: Path
) -> None:
    run_state_machine_as_test(_machine(forge, template), settings=_settings(8, 18))


@pytest.mark.storm
@pytest.mark.timeout(900)
def test_the_same_over_many_and_long_histories(forge: Forge, template: Path) -> None:
    run_state_machine_as_test(_machine(forge, template), settings=_settings(25, 40))


def test_the_model_would_notice(forge: Forge, template: Path, tmp_path: Path) -> None:
    """A rebuilt index and a live one are the same lines, and answers do not depend on either."""
    path = tmp_path / "store"
    shutil.copytree(template, path, symlinks=True)
    with opened(path) as store:
        for name in AGENTS:
            post(store, name, *AGENTS, ack_required=True)
        assert index_lines(store) == rebuilt_lines(store)
        told = answers(store)
        for file in (path / ".git/gitmail").glob("index*"):
            file.unlink()
        assert answers(store) == told
    assert files_on_disk(path)
