"""The ring command: a program of the store's own, started for each ring (gitmail.toml, [wake]).

For desktop notices and the like. It is started after the letter is delivered, without a shell,
with its output thrown away, and is ended after TIMEOUT_SECONDS wherever the sender is by then.
Nothing that happens to it can fail a send. It is told facts only, escaped as in every hint.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress

from gitmail.git.process import inherited
from gitmail.mail.deliver import Receipt, Sent
from gitmail.store.store import Store
from gitmail.values.hints import SUBJECT_COLUMNS, WaitingLetter, escaped, hint_line

TIMEOUT_SECONDS = 10
_STARTER = (
    "import os, signal, sys\nsignal.alarm(int(sys.argv[1]))\nos.execvp(sys.argv[2], sys.argv[2:])\n"
)
"""The alarm outlives the exec, so the limit holds also after the sender has ended."""


def ring_out(store: Store, sent: Sent) -> Sent:
    """Start the store's ring command once for each ring of a new letter; returns `sent`.

    The command gets one line of facts as its last argument, and GITMAIL_RING_TO, _FROM, _ID,
    _SUBJECT and _REASON in its environment.
    """
    command = store.config().wake_command
    if not command or sent.repeated:
        return sent
    for receipt in sent.receipts:
        if receipt.wake is not None and receipt.wake.ring:
            try:
                _start([*command, _line(sent, receipt)], _facts(sent, receipt))
            except OSError as error:
                store.notice("wake_command", f"the ring command did not start: {error.strerror}")
    return sent


def _line(sent: Sent, receipt: Receipt) -> str:
    letter = receipt.letter
    urgent = letter.importance == "urgent"
    waiting = WaitingLetter(sent.letter.id, letter.sender, letter.subject, urgent)
    return hint_line(receipt.recipient.name, [waiting], 1)


def _facts(sent: Sent, receipt: Receipt) -> dict[str, str]:
    assert receipt.wake is not None
    return {
        "GITMAIL_RING_TO": receipt.recipient.name,
        "GITMAIL_RING_FROM": receipt.letter.sender,
        "GITMAIL_RING_ID": sent.letter.id,
        "GITMAIL_RING_SUBJECT": escaped(receipt.letter.subject, SUBJECT_COLUMNS),
        "GITMAIL_RING_REASON": receipt.wake.reason,
    }


def _start(command: Sequence[str], facts: Mapping[str, str]) -> None:
    """Start a program that nobody waits for; raises OSError when that is not possible."""
    words = [sys.executable, "-I", "-S", "-c", _STARTER, str(TIMEOUT_SECONDS), *command]
    nowhere = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    environment = {**inherited(), **facts}
    process = os.posix_spawn(sys.executable, words, environment, file_actions=nowhere, setpgroup=0)
    threading.Thread(target=_reap, args=(process,), name="gitmail-ring", daemon=True).start()


def _reap(process: int) -> None:
    with suppress(ChildProcessError):
        os.waitpid(process, 0)
