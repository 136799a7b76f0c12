"""Commits as values: reading git's commit format and building it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_IDENT = re.compile(rb"^(?P<name>.*?) ?<(?P<email>[^>]*)>(?: (?P<time>-?\d+))?")
_CRUD = "".join(map(chr, range(33))) + ".,:;<>\"\\'"
_INSIDE = re.compile(r"[<>\n\r\0]")


class Person(NamedTuple):
    """A name and an address as they stand in a commit."""

    name: str
    email: str


class Commit(NamedTuple):
    """One commit. Times are whole seconds since the epoch; `sha` may be empty if not known."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Person
    author_time: int
    committer: Person
    committer_time: int
    message: str


def ident(who: Person, time: int) -> bytes:
    """Return git's identity line `Name <email> seconds +0000`.

    Follows git's own rule: no `<`, `>` or line break inside, no punctuation at either end. A name
    that has nothing left becomes the address's local part, or `unknown`.
    """
    email = _INSIDE.sub("", who.email).strip(_CRUD)
    name = _INSIDE.sub("", who.name).strip(_CRUD) or email.partition("@")[0] or "unknown"
    return f"{name} <{email}> {time} +0000".encode("utf-8", "replace")


def build_commit(
    *,
    tree: str,
    parents: Sequence[str],
    author: Person,
    author_time: int,
    committer: Person,
    committer_time: int,
    message: str,
) -> bytes:
    """Return a commit object's content, in UTC and unsigned; the message ends with a line feed."""
    lines = [b"tree " + tree.encode()]
    lines += [b"parent " + parent.encode() for parent in parents]
    lines.append(b"author " + ident(author, author_time))
    lines.append(b"committer " + ident(committer, committer_time))
    text = message.replace("\0", "").rstrip("\n") + "\n"
    return b"\n".join(lines) + b"\n\n" + text.encode("utf-8", "replace")


def parse_commit(data: bytes, sha: str = "") -> Commit:
    """Read a commit object's content; signatures, `encoding` and unknown headers are tolerated.

    Raises ValueError if there is no tree, which no git writes.
    """
    head, _, body = data.partition(b"\n\n")
    fields: dict[bytes, bytes] = {}
    parents: list[str] = []
    for line in head.split(b"\n"):
        key, _, value = line.partition(b" ")
        if key == b"parent":
            parents.append(value.decode("ascii", "replace"))
        elif key:  # a continuation line begins with a space
            fields.setdefault(key, value)
    if b"tree" not in fields:
        raise ValueError("a commit without a tree")
    author, author_time = parse_ident(fields.get(b"author", b""))
    committer, committer_time = parse_ident(fields.get(b"committer", b""))
    return Commit(
        sha=sha,
        tree=fields[b"tree"].decode("ascii", "replace"),
        parents=tuple(parents),
        author=author,
        author_time=author_time,
        committer=committer,
        committer_time=committer_time,
        message=_decode(body, fields.get(b"encoding", b"")),
    )


def parse_ident(line: bytes) -> tuple[Person, int]:
    """Read `Name <email> seconds zone`; what is malformed becomes an empty text or 0."""
    match = _IDENT.match(line)
    if match is None:
        return Person(line.decode("utf-8", "replace"), ""), 0
    name = match["name"].decode("utf-8", "replace")
    email = match["email"].decode("utf-8", "replace")
    return Person(name, email), int(match["time"] or 0)


def _decode(body: bytes, encoding: bytes) -> str:
    try:
        return body.decode(encoding.decode("ascii", "replace") or "utf-8", "replace")
    except LookupError:
        return body.decode("utf-8", "replace")
