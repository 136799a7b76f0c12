"""A program for the storm: waits for Blue's mail again and again and notes what it was told.

`listener.py PROJECT FILE`: one line per letter, synced before the next wait.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from gitmail.board.caller import Caller
from gitmail.mail.notifier import Notifier
from gitmail.mail.waiting import begin_listening, wait_for
from gitmail.store.location import find_project, open_store


def main(project: Path, file: Path) -> None:
    with open_store(find_project(project, None)) as store, file.open("a") as notes:
        caller = Caller("Blue", "0" * 32)
        begin_listening(store, "Blue", "storm")
        with Notifier(store, "Blue") as notifier:
            print("ready", flush=True)
            while True:
                woken = wait_for(store, caller, 30, key="storm", notifier=notifier)
                for letter in woken.letters:
                    notes.write(letter.id + "\n")
                notes.flush()
                os.fsync(notes.fileno())


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
