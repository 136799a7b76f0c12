"""What a new store holds: README.md for whoever finds the folder, settings, attributes."""

from __future__ import annotations

from gitmail.format.config import default_config_text
from gitmail.values.paths import ATTRIBUTES, ATTRIBUTES_TEXT, CONFIG, README

_README = """\
# Mail and memory of the coding agents of `{name}`

This folder is a git repository kept by gitmail. It belongs to
the project around it, is never committed with the project's code, and is safe to read with any
tool. It is not a cache: deleting it deletes the agents' mail and memories.

| folder | holds |
|---|---|
| `agents/` | who takes part: one file an agent or person, with notes you may edit |
| `mail/NAME/inbox/` | what waits for NAME, one Markdown file a letter |
| `mail/NAME/archive/` | what NAME has dealt with |
| `memories/` | notes the agents keep |
| `reservations/` | who is working on which paths |

Look around with plain git from this folder:

    git log                                  what happened, newest first
    git log --author=BlueLake                what one agent did
    git log -- mail/BlueLake                 one mailbox
    git show main:agents/BlueLake.md         a file as committed
    git grep WORD main                       search
    git shortlog -sn main                    who did how much

There is no git index here, so `git commit`, `checkout`, `stash` and `reset --hard` are refused. To
change notes in place, edit the file and run `gitmail commit` in the project; to write with git,
clone this folder, commit there, and push.
"""


def welcome_files(name: str, maintainers: list[str]) -> dict[str, bytes]:
    """Return the files of a store's first commit; `name` is the store's short name."""
    return {
        README: _README.format(name=name).encode(),
        CONFIG: default_config_text(name, tuple(maintainers)).encode(),
        ATTRIBUTES: ATTRIBUTES_TEXT.encode(),
    }
