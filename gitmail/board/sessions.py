"""Which agent a host session speaks for, so that a resumed session keeps its mailbox.

A binding is private state: a file below `sessions/` that holds a name. It is found by the host's
session id where the host exports or says one, else by the host's process (its id and start time,
so that a reused process id is another process). Losing the bindings loses no letter, only who
somebody was.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from gitmail.store.private import PrivateState
from gitmail.values.names import name_problem

SESSION_VARIABLES = ("GITMAIL_SESSION", "CLAUDE_CODE_SESSION_ID")
"""The variables in which hosts export a session id to the programs they start, first that is set;
`GITMAIL_SESSION` is for hosts that can be told to."""


def session_key(session_id: str) -> str:
    """Return the key of a host session, the same for its server, its hooks and its shell."""
    return "session-" + hashlib.sha256(session_id.encode(errors="replace")).hexdigest()[:40]


def process_key(pid: int) -> str | None:
    """Return the key of a running process; None where its start time cannot be told."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return None
    started = stat.rpartition(")")[2].split()[19]  # the 22nd field; the name may hold spaces
    return f"process-{pid}-{started}-{boot[:8]}"


def key_of(environ: Mapping[str, str], host: int) -> str | None:
    """Return the key for a process started by the process `host` in this environment."""
    for variable in SESSION_VARIABLES:
        if environ.get(variable):
            return session_key(environ[variable])
    return process_key(host)


class Sessions:
    """The session bindings of one store."""

    def __init__(self, private: PrivateState) -> None:
        self._root = private.sessions

    def bound(self, key: str) -> str | None:
        """Return the agent's name that `key` is bound to, or None."""
        try:
            name = (self._root / key).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return None
        return name if name_problem(name) is None else None

    def bind(self, key: str, name: str) -> None:
        """Bind `key` to an agent's name. Raises OSError on a store that cannot be written."""
        os.makedirs(self._root, mode=0o700, exist_ok=True)
        draft = self._root / f".{os.getpid()}-{os.urandom(4).hex()}"
        draft.write_text(name + "\n", encoding="utf-8")
        os.replace(draft, self._root / key)

    def names(self) -> list[str]:
        """Return every name that a session is bound to, registered or not."""
        try:
            keys = os.listdir(self._root)
        except OSError:
            return []
        bound = (self.bound(key) for key in keys if not key.startswith("."))
        return [name for name in bound if name is not None]

    @contextmanager
    def choosing(self) -> Iterator[None]:
        """Hold off other processes that look for a name of their own, for the body.

        On a store that cannot be written there is nothing to hold.
        """
        try:
            os.makedirs(self._root, mode=0o700, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
            descriptor = os.open(self._root / ".choosing", flags, 0o600)
        except OSError:
            yield
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)
