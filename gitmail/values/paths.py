"""The layout of the tree, and the only module that knows it.

    agents/NAME.md
    mail/NAME/inbox/.keep, mail/NAME/inbox/FILE, mail/NAME/archive/YYYY/MM/DD/FILE
    mail/retired/NAME/…                       the same two folders, once NAME has retired
    memories/00xx/0012-slug.md, memories/superseded/00xx/0003-slug.md
    reservations/7c1e90ab-slug.md
    README.md, gitmail.toml, .gitattributes

Paths are POSIX and relative to the store's top.
"""

from __future__ import annotations

import re
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from gitmail.values.ids import PREFIX_LENGTH
from gitmail.values.names import name_problem
from gitmail.values.text import slug
from gitmail.values.times import compact_time, day_folder

if TYPE_CHECKING:
    from gitmail.values.letter import Letter

FILE_NAME_LIMIT = 120
SLUG_LIMIT = 60

README = "README.md"
CONFIG = "gitmail.toml"
ATTRIBUTES = ".gitattributes"
ATTRIBUTES_TEXT = "* -text -filter -ident -working-tree-encoding\n"
FIXED_FILES = frozenset({README, CONFIG, ATTRIBUTES})
KEEP = ".keep"

_LETTER_NAME = re.compile(r"([0-9]{8}T[0-9]{6}Z)-([0-9a-f]{8})-[a-z0-9._-]+\.md")
_NUMBERED = re.compile(r"([0-9]{4,})-[a-z0-9._-]+\.md")
_RESERVATION = re.compile(r"([0-9a-f]{8})-[a-z0-9._-]+\.md")
_DAY = re.compile(r"[0-9]{4}/[0-9]{2}/[0-9]{2}")
_HAND_NAMED = re.compile(r"[^./\x00-\x1f][^/\x00-\x1f]*\.md")


class Kind(StrEnum):
    """What a path of the store holds."""

    INBOX = "inbox"
    ARCHIVE = "archive"
    AGENT = "agent"
    MEMORY = "memory"
    SUPERSEDED = "superseded"
    RESERVATION = "reservation"
    FIXED = "fixed"
    KEEP = "keep"
    UNKNOWN = "unknown"


class PathKind(NamedTuple):
    """What a path says by itself.

    `owner` is the name of a mailbox or agent; `file` the last part; `day` an archive folder as
    `2026/11/30`; `number` a memory's; `prefix` the id digits in the name of a letter or
    reservation; `well_named` is false for a letter somebody named by hand; `retired` is true
    below mail/retired/.
    """

    kind: Kind
    file: str
    owner: str | None = None
    day: str | None = None
    number: int | None = None
    prefix: str | None = None
    retired: bool = False
    well_named: bool = True

    @property
    def is_letter(self) -> bool:
        """True for a letter in an inbox or an archive."""
        return self.kind is Kind.INBOX or self.kind is Kind.ARCHIVE


def letter_file_name(letter: Letter) -> str:
    """Return the file name of every copy of `letter`: time, 8 digits of the id, slug."""
    tail = slug(letter.subject, SLUG_LIMIT)
    return f"{compact_time(letter.date)}-{letter.id[:PREFIX_LENGTH]}-{tail}.md"


def mailbox_path(name: str, retired: bool = False) -> str:
    """Return the folder of an agent's mail."""
    return f"mail/retired/{name}" if retired else f"mail/{name}"


def inbox_path(name: str, file: str, retired: bool = False) -> str:
    """Return where the letter `file` waits for `name`."""
    return f"{mailbox_path(name, retired)}/inbox/{file}"


def inbox_folder(name: str, retired: bool = False) -> str:
    """Return the folder that holds what waits for `name`."""
    return f"{mailbox_path(name, retired)}/inbox"


def keep_path(name: str, retired: bool = False) -> str:
    """Return the empty file that keeps an emptied inbox from reading as a renamed folder."""
    return inbox_path(name, KEEP, retired)


def archive_path(name: str, date: datetime, file: str, retired: bool = False) -> str:
    """Return where the letter `file`, sent at `date`, lies once `name` has handled it."""
    return f"{mailbox_path(name, retired)}/archive/{day_folder(date)}/{file}"


def agent_path(name: str) -> str:
    """Return the profile's path."""
    return f"agents/{name}.md"


def memory_block(number: int) -> str:
    """Return the folder of a hundred numbers: `00xx` for 12, `123xx` for 12345."""
    return f"{number // 100:02d}xx"


def memory_path(number: int, title: str, superseded: bool = False) -> str:
    """Return a memory's path; its file name stays the same when it is superseded."""
    folder = "memories/superseded" if superseded else "memories"
    return f"{folder}/{memory_block(number)}/{number:04d}-{slug(title, SLUG_LIMIT, 'note')}.md"


def superseded_path(path: str) -> str:
    """Return where the live memory file `path` goes when it is retired, its name unchanged."""
    return f"memories/superseded/{path.removeprefix('memories/')}"


def live_path(path: str) -> str:
    """Return where the retired memory file `path` lay while it was live."""
    return f"memories/{path.removeprefix('memories/superseded/')}"


def reservation_path(reservation_id: str, what: str) -> str:
    """Return a reservation's path; `what` is the first path or thing it holds."""
    return f"reservations/{reservation_id[:PREFIX_LENGTH]}-{slug(what, SLUG_LIMIT, 'paths')}.md"


def is_letter_name(file: str) -> bool:
    """Tell whether `file` is named as gitmail names letters."""
    return len(file) <= FILE_NAME_LIMIT and _LETTER_NAME.fullmatch(file) is not None


def classify(path: str) -> PathKind:
    """Say what `path` holds by its place and name alone; Kind.UNKNOWN if it has no place here."""
    parts = path.split("/")
    file = parts[-1]
    found: PathKind | None = None
    if parts[0] == "mail":
        found = _mail(parts, file)
    elif parts[0] == "agents" and len(parts) == 2:
        found = _agent(file)
    elif parts[0] == "memories":
        found = _memory(parts, file)
    elif parts[0] == "reservations" and len(parts) == 2:
        found = _reservation(file)
    elif path in FIXED_FILES:
        found = PathKind(Kind.FIXED, file)
    return found or PathKind(Kind.UNKNOWN, file)


def _mail(parts: list[str], file: str) -> PathKind | None:
    retired = len(parts) > 2 and parts[1] == "retired"
    owner, *inner = parts[2:-1] if retired else parts[1:-1] or [""]
    if name_problem(owner) is not None or not inner:
        return None
    if inner == ["inbox"] and file == KEEP:
        return PathKind(Kind.KEEP, file, owner, retired=retired)
    if not _HAND_NAMED.fullmatch(file):
        return None
    match = _LETTER_NAME.fullmatch(file) if len(file) <= FILE_NAME_LIMIT else None
    prefix = match[2] if match else None
    well_named = match is not None
    if inner == ["inbox"]:
        return PathKind(
            Kind.INBOX, file, owner, prefix=prefix, retired=retired, well_named=well_named
        )
    day = "/".join(inner[1:])
    if inner[0] != "archive" or not _DAY.fullmatch(day):
        return None
    return PathKind(Kind.ARCHIVE, file, owner, day, None, prefix, retired, well_named)


def _agent(file: str) -> PathKind | None:
    name = file.removesuffix(".md")
    if name == file or name_problem(name) is not None:
        return None
    return PathKind(Kind.AGENT, file, name)


def _memory(parts: list[str], file: str) -> PathKind | None:
    superseded = len(parts) == 4 and parts[1] == "superseded"
    if not superseded and len(parts) != 3:
        return None
    match = _NUMBERED.fullmatch(file) if len(file) <= FILE_NAME_LIMIT else None
    if match is None:
        return None
    number = int(match[1])
    if number < 1 or f"{number:04d}" != match[1] or parts[-2] != memory_block(number):
        return None
    return PathKind(Kind.SUPERSEDED if superseded else Kind.MEMORY, file, number=number)


def _reservation(file: str) -> PathKind | None:
    match = _RESERVATION.fullmatch(file) if len(file) <= FILE_NAME_LIMIT else None
    return PathKind(Kind.RESERVATION, file, prefix=match[1]) if match else None
