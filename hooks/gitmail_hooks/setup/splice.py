"""Putting members into JSON text and taking them out, leaving every other byte as it was.

All functions take and return whole texts. A path is a tuple of keys and array indexes from the
outermost value. Line ends, indentation and comments of the text are its own: what is added is
laid out like its neighbours.
"""

from __future__ import annotations

import json
import re
from typing import Any

from gitmail_hooks.setup.jsonc import JsoncError, Node, line_of, parse, skip_blank

Path = tuple[str | int, ...]

DEFAULT_INDENT = "  "


def find(text: str, path: Path) -> Node | None:
    """Return the value at `path`, None when it is not there; raises JsoncError."""
    node = parse(text)
    for step in path:
        node = _child(node, step)
    return node


def _child(node: Node | None, step: str | int) -> Node | None:
    """Return one step down."""
    if node is None:
        return None
    if isinstance(step, str):
        return node.member(step)
    return node.items[step] if step < len(node.items) else None


def set_member(text: str, path: Path, value: Any) -> str:
    """Return `text` with `value` at `path` (ending in a key): replaced in place, or added last.

    Objects missing on the way are made. Raises JsoncError for a text that is not JSON with
    comments, and where the path runs through a value that is not an object.
    """
    found = find(text, path)
    if found is not None:
        if found.value() == value:
            return text
        rendered = _rendered(value, _line_indent(text, found.start), text)
        return text[: found.start] + rendered + text[found.end :]
    text, parent = _with_container(text, path[:-1], "object")
    entry = json.dumps(path[-1], ensure_ascii=False) + ": "
    return _insert(text, parent, entry, value)


def append_item(text: str, path: Path, value: Any) -> str:
    """Return `text` with `value` as the last item of the array at `path`, made when missing."""
    text, array = _with_container(text, path, "array")
    return _insert(text, array, "", value)


def _with_container(text: str, path: Path, kind: str) -> tuple[str, Node]:
    """Return the text and the container at `path`, after making it when it was missing."""
    found = find(text, path)
    if found is None:
        text = set_member(text, path, [] if kind == "array" else {}) if path else text + "{}"
        found = find(text, path)
        assert found is not None
    if found.kind != kind:
        where = ".".join(map(str, path)) or "the file's value"
        raise JsoncError(line_of(text, found.start), f"{where} is not an {kind}")
    return text, found


def _insert(text: str, parent: Node, entry: str, value: Any) -> str:
    """Return `text` with one more entry at the end of `parent`, after its last comment."""
    newline = _newline(text)
    outer = _line_indent(text, parent.start)
    children = _children(parent)
    indent = outer + _unit(text)
    if children and "\n" in text[parent.start : children[-1][0]]:
        indent = _line_indent(text, children[-1][0])
    closing = parent.end - 1
    place = _last_mark(text, children[-1][1] if children else parent.start + 1, closing)
    added = newline + indent + entry + _rendered(value, indent, text)
    if "\n" not in text[place:closing]:
        added += newline + outer
    text = text[:place] + added + text[place:]
    if children and _comma_after(text, children[-1][1]) is None:
        end = children[-1][1]
        text = text[:end] + "," + text[end:]
    return text


def remove(text: str, path: Path) -> str:
    """Return `text` without the entry at `path`: itself, its comma and the blanks before it.

    Comments stay. Raises JsoncError; the path must exist.
    """
    parent = find(text, path[:-1])
    assert parent is not None
    index = _index(parent, path[-1])
    children = _children(parent)
    start, end = children[index]
    comma = _comma_after(text, end)
    last = index == len(children) - 1
    if comma is not None:
        end = comma + 1
    before = parent.start + 1 if index == 0 else children[index - 1][1]
    place = _last_mark(text, before, start)
    rest_of_line = text[end:].split("\n", 1)[0]
    if "\n" not in text[place:start] or rest_of_line.strip():
        place = start
    result = text[:place] + text[end:]
    if last and index > 0 and comma is None:
        previous = _comma_after(text, children[index - 1][1])
        assert previous is not None
        result = result[:previous] + result[previous + 1 :]
    return result


def _children(node: Node) -> list[tuple[int, int]]:
    """Return where each entry of a container starts (its key) and ends."""
    if node.kind == "object":
        return [(start, value.end) for _key, value, start in node.members]
    return [(item.start, item.end) for item in node.items]


def _index(parent: Node, step: str | int) -> int:
    """Return which entry of `parent` a step names; of a repeated key the last."""
    if isinstance(step, int):
        return step
    return max(place for place, member in enumerate(parent.members) if member[0] == step)


def _comma_after(text: str, position: int) -> int | None:
    """Return the place of the comma that follows an entry, None when there is none."""
    place = skip_blank(text, position)
    return place if text[place : place + 1] == "," else None


def _last_mark(text: str, start: int, end: int) -> int:
    """Return the place after the last character in `text[start:end]` that is not blank."""
    return start + len(text[start:end].rstrip(" \t\r\n"))


def _newline(text: str) -> str:
    """Return the line end the text uses."""
    return "\r\n" if "\r\n" in text else "\n"


def _line_indent(text: str, position: int) -> str:
    """Return the blanks that the line of `position` begins with."""
    start = text.rfind("\n", 0, position) + 1
    found = re.compile(r"[ \t]*").match(text, start, position)
    return found.group() if found else ""


def _unit(text: str) -> str:
    """Return one step of the text's indentation: that of its first indented key."""
    found = re.search(r'^([ \t]+)"', text, re.MULTILINE)
    return found.group(1) if found else DEFAULT_INDENT


def _rendered(value: Any, indent: str, text: str) -> str:
    """Return `value` as JSON laid out like `text`, its further lines indented by `indent`."""
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return (_newline(text) + indent).join(lines)
