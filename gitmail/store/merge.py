"""Joining a person's edit of a note with what was written to it meanwhile, key by key.

`base` is what the person started from, `ours` what main holds now, `theirs` the saved file. The
saved file wins for every key that the person changed; what only main has changed is carried over.
Of a text that both changed, the lines of both are kept.
"""

from __future__ import annotations

from gitmail.format.edit import set_keys
from gitmail.format.header import load, split
from gitmail.git.merge_text import union


def merge_note(base: bytes | None, ours: bytes, theirs: bytes, path: str) -> bytes:
    """Return the file that holds both sides' changes; BrokenFile when `theirs` cannot be read.

    Comments and unknown keys of the saved file stay byte for byte.
    """
    saved = load(theirs, path)
    if base is None or base == ours:
        return theirs
    before, now = load(base, path), load(ours, path)
    keys = dict.fromkeys([*before.values, *now.values])
    carried = {
        key: now.values.get(key)
        for key in keys
        if now.values.get(key) != before.values.get(key)
        and saved.values.get(key) == before.values.get(key)
    }
    merged = set_keys(theirs, carried, path, list(now.values))
    if now.text in (before.text, saved.text):
        return merged
    text = _text(ours, path)
    if saved.text != before.text:
        text = union(_text(base, path), text, _text(theirs, path))
    whole, frame = split(merged, path)
    return whole[: frame.text_start].encode() + text


def _text(data: bytes, path: str) -> bytes:
    whole, frame = split(data, path)
    return whole[frame.text_start :].encode()
