"""Joining a person's edit of a note with what gitmail wrote to it meanwhile, key by key.

`base` is what the person started from, `ours` what main holds now, `theirs` the saved file. The
saved file wins wherever the person changed something; what only gitmail changed is carried over.
"""

from __future__ import annotations

from gitmail.format.edit import set_keys
from gitmail.format.header import load, split


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
    if now.text != before.text and saved.text == before.text:
        return _with_text_of(merged, ours, path)
    return merged


def _with_text_of(header: bytes, text: bytes, path: str) -> bytes:
    """Return the header of one file followed by the text of another."""
    header_whole, header_frame = split(header, path)
    text_whole, text_frame = split(text, path)
    return (header_whole[: header_frame.text_start] + text_whole[text_frame.text_start :]).encode()
