"""A real store with real agents in it, for the tests of what must always be true of one.

Also a program, `post_office.py`, that forks a process for every line of JSON it reads: many real
processes, each with a store of its own, without paying for an interpreter each time.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path
from typing import Any

from gitmail.board.agents import register
from gitmail.board.caller import Caller
from gitmail.git import refs, steps
from gitmail.git.commits import Person
from gitmail.git.trees import list_tree
from gitmail.index.dump import dump
from gitmail.mail.acknowledge import acknowledge
from gitmail.mail.deliver import Sent
from gitmail.mail.inbox import inbox_page, sent_letters, waiting
from gitmail.mail.receive import receive
from gitmail.mail.send import Outgoing, send_letter
from gitmail.memory.consolidating import consolidate, supersede
from gitmail.memory.forgetting import Selection, forget, reinstate_note
from gitmail.memory.storing import store_note
from gitmail.store.blobs import blob_id
from gitmail.store.create import create_store
from gitmail.store.edits import adopt_edits, tell_set_aside
from gitmail.store.store import Store, system_clock
from gitmail.store.undo import undo
from gitmail.values.paths import agent_path

PAT = Person("Pat Person", "pat@example.com")
BLUE, GREEN, RED = "BlueLake", "GreenCastle", "RedHill"
AGENTS = (BLUE, GREEN, RED)
IN_A_ROW = 50
"""A sender's letters before another takes over: a store lets nobody send without measure."""


# -- making and opening ------------------------------------------------------------------------


def make_store(path: Path, agents: Sequence[str] = AGENTS) -> Path:
    """Make a store with some registered agents; returns its top folder."""
    create_store(path, "shop", PAT, [], sys.executable, system_clock)
    with opened(path) as store:
        for name in agents:
            register(store, name)
    return path


@contextmanager
def opened(path: Path, **options: Any) -> Iterator[Store]:
    with Store(path, PAT, **options) as store:
        yield store


def caller(name: str) -> Caller:
    return Caller(name, md5(name.encode()).hexdigest())


def post(store: Store, sender: str, *to: str, subject: str = "Hello", **more: Any) -> Sent:
    return send_letter(store, caller(sender), Outgoing(tuple(to), subject, "Some words.", **more))


def main_of(path: Path) -> str:
    main = refs.read_main(path / ".git")
    assert main is not None
    return main


# -- what must be true -------------------------------------------------------------------------


def git(path: Path, *args: str, check: bool = True, **options: Any) -> str:
    """Run plain git in a folder, as a person would."""
    done = subprocess.run(
        ["git", "-C", str(path), *args], capture_output=True, text=True, check=False, **options
    )
    assert not check or done.returncode == 0, done.stderr
    return (done.stdout + (done.stderr if not check else "")).strip()


def files_on_disk(path: Path) -> dict[str, str]:
    """Return the blob id of every file of the tree on disk."""
    found = {}
    for folder, folders, files in os.walk(path):
        if folder == str(path):
            folders.remove(".git")
        for file in files:
            full = Path(folder, file)
            found[full.relative_to(path).as_posix()] = blob_id(full.read_bytes())
    return found


def files_of_main(store: Store) -> dict[str, str]:
    root = store.reader.commit(store.main()).tree
    return {path: entry.sha for path, entry in list_tree(store.reader, root)}


def index_lines(store: Store) -> list[str]:
    return store.read(lambda view: list(dump(view.index)))


def rebuilt_lines(store: Store) -> list[str]:
    scratch = store.private.root / f"compare-{os.getpid()}-{os.urandom(3).hex()}"
    scratch.mkdir()
    try:
        index = store.index_view.build_at(scratch / "index.sqlite")
        lines = list(dump(index))
        index.discard()
        return lines
    finally:
        for file in scratch.iterdir():
            file.unlink()
        scratch.rmdir()


def assert_sound(path: Path, *, fsck: bool = True) -> None:
    """Tree = main = index; nothing of ours lies about; git finds nothing wrong.

    Opens the store as anybody would, so that whatever a crash left has been repaired by then.
    """
    with opened(path) as store:
        store.read(lambda view: view.main)
        assert store.take_notices() == []
        assert store.tree.marker() == store.main()
        assert files_on_disk(path) == files_of_main(store)
        assert index_lines(store) == rebuilt_lines(store)
    assert not (path / ".git/refs/heads/main.lock").exists()
    assert os.listdir(path / ".git/gitmail/tmp") == []
    if fsck:
        assert_fsck(path)


def assert_fsck(path: Path) -> None:
    done = subprocess.run(
        ["git", f"--git-dir={path}/.git", "fsck", "--strict", "--full", "--no-dangling"],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "notice" not in line]
    assert (done.returncode, lines) == (0, [])


def answers(store: Store, names: Sequence[str] = AGENTS) -> dict[str, Any]:
    """Return what the surfaces say of some agents, comparable and without times of the call."""
    told: dict[str, Any] = {}
    for name in names:
        box = waiting(store, name)
        page = inbox_page(store, name, limit=1000, bodies=True)
        told[name] = {
            "waiting": [row.letter.id for row in box.waiting],
            "count": box.waiting_count,
            "inbox": [(row.letter.id, row.delivery.marks, row.commit) for row in page.rows],
            "texts": page.texts,
            "total": (page.total, page.unread),
            "sent": [
                (one.letter.id, [copy.delivery.marks for copy in one.deliveries])
                for one in sent_letters(store, name, limit=1000)
            ],
        }
    return told


# -- what a process does -----------------------------------------------------------------------


def _send(store: Store, order: dict[str, Any]) -> object:
    worst = 0.0
    for number in range(order.get("count", 1)):
        who = order["who"] if number < IN_A_ROW else f"{order['who']}-{number // IN_A_ROW}"
        begin = time.monotonic()
        post(store, who, *order["to"], subject=f"{who} {number}")
        worst = max(worst, time.monotonic() - begin)
        time.sleep(order.get("pause", 0))
    return worst


def _acknowledge(store: Store, order: dict[str, Any]) -> object:
    return len(acknowledge(store, caller(order["who"]), order["ids"]).deliveries)


def _receive(store: Store, order: dict[str, Any]) -> object:
    return len(receive(store, caller(order["who"])).messages)


def _register(store: Store, order: dict[str, Any]) -> object:
    return register(store, order["who"]).created


def _profile(store: Store, order: dict[str, Any]) -> object:
    for number in range(order.get("count", 1)):
        register(store, order["who"], task=f"{order['task']} {number}")
    return order["task"]


def _adopt(store: Store, order: dict[str, Any]) -> object:
    return adopt_edits(store, order.get("folders", ("agents",))).committed


def _undo(store: Store, order: dict[str, Any]) -> object:
    return undo(store, PAT, order["commit"]).commit


def _read(store: Store, order: dict[str, Any]) -> object:
    """Ask until a file says stop; nothing may be lost from one answer to the next."""
    seen: set[str] = set()
    rounds = 0
    while not Path(order["until"]).exists():
        box = waiting(store, order["who"])
        now = {row.letter.id for row in box.waiting}
        assert len(now) == len(box.waiting) == box.waiting_count, "list and count differ"
        assert seen <= now, f"letters vanished: {seen - now}"
        page = inbox_page(store, order["who"], limit=1000, bodies=True)
        assert len(page.texts) == len(page.rows) == page.total, "page and total differ"
        assert now <= set(page.texts)
        seen = now
        rounds += 1
        time.sleep(order.get("pause", 0.002))
    notices = {notice.code for notice in store.take_notices()}
    assert notices <= {"stale"}, notices
    return [rounds, len(seen)]


def _hold(store: Store, order: dict[str, Any]) -> object:
    """Hold the write lock until a file says stop."""
    with store.lock.hold():
        Path(order["held"]).touch()
        while not Path(order["until"]).exists():
            time.sleep(0.005)
    return True


def _endless(store: Store, order: dict[str, Any]) -> object:
    """Do a bit of everything until killed."""
    number = 0
    while True:
        number += 1
        sent = post(store, order["who"], GREEN, RED, subject=f"Letter {number}", ack_required=True)
        with open(order["log"], "ab") as log:
            log.write(f"{sent.letter.id}\n".encode())
        received = receive(store, caller(GREEN), limit=3)
        acknowledge(
            store, caller(GREEN), [one.letter.id for one in received.messages][:2] or ["0" * 8]
        )
        register(store, order["who"], task=f"letter {number}")
        register(store, f"Extra-{os.getpid()}-{number}")
        note = store.tree.full(agent_path(RED))
        Path(note).write_bytes(Path(note).read_bytes() + f"line {number}\n".encode())
        adopt_edits(store)
        tell_set_aside(store)


def _consolidate(store: Store, order: dict[str, Any]) -> object:
    done = consolidate(store, caller(order["who"]), order["text"], entry_ids=order["ids"])
    return [done.memory.number, [memory.number for memory in done.superseded]]


def _endless_notes(store: Store, order: dict[str, Any]) -> object:
    """Store, replace, take back and forget notes until killed."""
    me, number = caller(order["who"]), 0
    while True:
        number += 1
        ids = [store_note(store, me, f"{me.name} {number}, part {part}").number for part in "abcd"]
        supersede(store, me, f"{me.name} {number}, part d corrected", entry_id=ids[3])
        done = consolidate(store, me, f"{me.name} {number}, all parts", entry_ids=ids[:3])
        undo(store, PAT, done.commit or "")
        consolidate(store, me, f"{me.name} {number}, all parts again", entry_ids=ids[:3])
        reinstate_note(store, me, ids[0])
        forget(store, me, Selection(entry_ids=[ids[1]]))


WORK: dict[str, Callable[[Store, dict[str, Any]], object]] = {
    "send": _send,
    "acknowledge": _acknowledge,
    "receive": _receive,
    "register": _register,
    "profile": _profile,
    "adopt": _adopt,
    "undo": _undo,
    "read": _read,
    "hold": _hold,
    "endless": _endless,
    "consolidate": _consolidate,
    "endless notes": _endless_notes,
}


def _forget_links_and_exchanges() -> None:
    """Behave like a file system that has neither."""
    from gitmail.store import tree

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    os.link = refuse
    tree.exchange = lambda _one, _other: False


def _work(order: dict[str, Any]) -> None:
    try:
        if order.get("poor_system"):
            _forget_links_and_exchanges()
        steps.arm(order.get("kill_at"))
        with opened(Path(order["store"]), **order.get("options", {})) as store:
            answer = {"result": WORK[order["do"]](store, order)}
    except BaseException as error:  # noqa: BLE001 - the test is told whatever it was
        code = getattr(error, "code", None)
        answer = {"failed": f"{type(error).__name__}: {error}", "code": code}
    Path(order["answer"]).write_text(json.dumps(answer), encoding="utf-8")
    os._exit(0)


# -- many processes ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended: killed, or with a result."""

    killed: bool
    answer: dict[str, Any]

    @property
    def result(self) -> Any:
        assert not self.killed, "it was killed"
        assert "result" in self.answer, self.answer
        return self.answer["result"]


class Worker:
    """One process at work in a store."""

    def __init__(self, forge: Forge, pid: int, answer: Path) -> None:
        self._forge, self.pid, self._answer = forge, pid, answer

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> Ended:
        status = self._forge.ask({"wait": self.pid})
        killed = status == -signal.SIGKILL
        answer = {} if killed else json.loads(self._answer.read_text(encoding="utf-8"))
        return Ended(killed, answer)


class Forge:
    """A process that forks others on demand."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )

    def ask(self, order: dict[str, Any]) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def start(self, do: str, store: Path, **order: Any) -> Worker:
        self._count += 1
        answer = self._folder / f"answer-{self._count}.json"
        order |= {"do": do, "store": str(store), "answer": str(answer)}
        return Worker(self, self.ask(order), answer)

    def run(self, do: str, store: Path, **order: Any) -> Ended:
        return self.start(do, store, **order).wait()

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(20)
        self._process.stdout.close()


def _serve() -> None:
    for line in sys.stdin:
        order = json.loads(line)
        if "wait" in order:
            _, status = os.waitpid(order["wait"], 0)
            print(os.waitstatus_to_exitcode(status), flush=True)
            continue
        pid = os.fork()
        if pid == 0:
            os.close(0)
            _work(order)
        print(pid, flush=True)


if __name__ == "__main__":
    from filelock import FileLock  # noqa: F401 - once for all forks, as no process of ours would pay twice

    _serve()
