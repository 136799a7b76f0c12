"""Changing single keys of an existing file: everything else stays byte for byte.

Nothing is ever dumped anew: comments, unknown keys, spacing, a byte order mark and the file's own
line ends are a person's, and stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gitmail.errors import BrokenFile
from gitmail.format.frame import Frame
from gitmail.format.header import broken, load, split
from gitmail.format.problem import HeaderProblem
from gitmail.format.writing import Writable, header_line


def splice(data: bytes, additions: Iterable[tuple[str, Writable]], file: str) -> bytes:
    """Return `data` with one line for each of `additions` before the closing fence.

    Raises BrokenFile when a key is there already or the header cannot be read.
    """
    pairs = list(additions)
    present = load(data, file).values
    for key, _ in pairs:
        if key in present:
            raise BrokenFile(file, f"the key {key!r} is there already", key_line(data, file, key))
    whole, frame = split(data, file)
    lines = "".join(_line(key, value, frame) for key, value in pairs)
    return (whole[: frame.head_end] + lines + whole[frame.head_end :]).encode()


def set_keys(
    data: bytes,
    changes: Mapping[str, Writable | None],
    file: str,
    order: Sequence[str] = (),
) -> bytes:
    """Return `data` with each key of `changes` set, or taken out where its value is None.

    A new key goes before the first key that follows it in `order`, else before the closing fence.
    A comment behind a changed value stays. Raises BrokenFile.
    """
    for key, value in changes.items():
        data = _set_key(data, key, value, file, order)
    return data


def key_line(data: bytes, file: str, key: str) -> int | None:
    """Return the line of the file on which `key` stands, counted from 1; None if it does not."""
    from gitmail.format.events import read_entries

    whole, frame = split(data, file)
    try:
        entries = read_entries(whole[frame.head_start : frame.head_end])
    except HeaderProblem:
        return None
    return next((entry.line + 1 for entry in entries if entry.key == key), None)


def _set_key(
    data: bytes, key: str, value: Writable | None, file: str, order: Sequence[str]
) -> bytes:
    from gitmail.format.events import read_entries

    whole, frame = split(data, file)
    head = whole[frame.head_start : frame.head_end]
    try:
        entries = read_entries(head)
    except HeaderProblem as problem:
        raise broken(file, problem) from None
    places = {entry.key: entry.start for entry in entries}
    found = next((entry for entry in entries if entry.key == key), None)
    if found is not None:
        new = "" if value is None else _line(key, value, frame)
        head = _replace(head, found.start, found.end, new, frame.newline)
    elif value is not None:
        at = _place(key, order, places, len(head))
        head = head[:at] + _line(key, value, frame) + head[at:]
    return (whole[: frame.head_start] + head + whole[frame.head_end :]).encode()


def _replace(head: str, start: int, end: int, new: str, newline: str) -> str:
    """Put the line `new` in place of an entry; what stands behind the value on its line stays."""
    if head[start:end].endswith("\n"):
        return head[:start] + new + head[end:]
    if not new:
        after = head.find("\n", end)
        return head[:start] + head[after + 1 :]
    return head[:start] + new.removesuffix(newline) + head[end:]


def _place(key: str, order: Sequence[str], places: Mapping[str, int], last: int) -> int:
    if key not in order:
        return last
    later = [places[other] for other in order[order.index(key) + 1 :] if other in places]
    return min(later, default=last)


def _line(key: str, value: Writable, frame: Frame) -> str:
    return header_line(key, value).removesuffix("\n") + frame.newline
