"""JSON with comments and trailing commas, read with the place of every value.

Hosts keep their settings in such files, and setup must add a member without touching a byte of
the rest. No library on the package index does that without Node or without re-writing the
layout, so this module reads the text into values with their spans, and `splice` cuts by them.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

MAX_DEPTH = 100

_BLANK = re.compile(r"[ \t\r\n]+")
_LINE_COMMENT = re.compile(r"//[^\r\n]*")
_BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?[0-9][0-9.eE+-]*|[a-z]+")


class JsoncError(ValueError):
    """The text is not JSON with comments: `line` counts from 1, `problem` is a short phrase."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")
        self.line = line
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Node:
    """A value with its place: `text[start:end]` is exactly the value, without what surrounds it.

    `members` are an object's (key, value, where the key starts); `items` an array's values.
    """

    start: int
    end: int
    scalar: Any = None
    members: tuple[tuple[str, Node, int], ...] = ()
    items: tuple[Node, ...] = ()
    kind: str = "scalar"

    def value(self) -> Any:
        """Return the plain Python value; of a repeated key the last one, as hosts read it."""
        if self.kind == "object":
            return {key: node.value() for key, node, _start in self.members}
        if self.kind == "array":
            return [item.value() for item in self.items]
        return self.scalar

    def member(self, key: str) -> Node | None:
        """Return the value of `key`, None when this is no object or has no such member."""
        for name, node, _start in reversed(self.members):
            if name == key:
                return node
        return None


def parse(text: str) -> Node | None:
    """Return the one value in `text`, None when it holds only blanks and comments.

    Raises JsoncError with the line for anything else, also for nesting beyond 100 levels.
    """
    reader = _Reader(text)
    if reader.next_mark() == "":
        return None
    node = reader.value(0)
    if reader.next_mark() != "":
        raise reader.error("there is more text after the value")
    return node


def line_of(text: str, position: int) -> int:
    """Return the line, from 1, that `position` is on."""
    return text.count("\n", 0, position) + 1


def skip_blank(text: str, position: int) -> int:
    """Return the place of the next character that is neither blank nor in a comment."""
    return _Reader(text, position).skip()


class _Reader:
    """One pass over the text."""

    def __init__(self, text: str, position: int = 0) -> None:
        self.text = text
        self.position = position

    def error(self, problem: str) -> JsoncError:
        """Return the error for the place reached."""
        return JsoncError(line_of(self.text, self.position), problem)

    def skip(self) -> int:
        """Go past blanks and comments; return the place reached."""
        while True:
            found = (
                _BLANK.match(self.text, self.position)
                or _LINE_COMMENT.match(self.text, self.position)
                or _BLOCK_COMMENT.match(self.text, self.position)
            )
            if found is None:
                return self.position
            self.position = found.end()

    def next_mark(self) -> str:
        """Go to the next character that counts and return it, "" at the end."""
        self.skip()
        return self.text[self.position : self.position + 1]

    def value(self, depth: int) -> Node:
        """Read one value."""
        if depth > MAX_DEPTH:
            raise self.error(f"values are nested more than {MAX_DEPTH} deep")
        mark = self.next_mark()
        if mark == "{":
            return self.object(depth)
        if mark == "[":
            return self.array(depth)
        if mark == '"':
            start = self.position
            return Node(start=start, scalar=self.string(), end=self.position)
        return self.scalar()

    def string(self) -> str:
        """Read a string in double quotes."""
        found = _STRING.match(self.text, self.position)
        if found is None:
            raise self.error("a string is not closed on its line")
        return str(self.decoded(found))

    def scalar(self) -> Node:
        """Read a number, true, false or null."""
        found = _SCALAR.match(self.text, self.position)
        if found is None:
            raise self.error("a value is missing")
        start = self.position
        return Node(start=start, scalar=self.decoded(found), end=self.position)

    def decoded(self, found: re.Match[str]) -> Any:
        """Return the value of one matched token and go past it."""
        try:
            value = json.loads(found.group())
        except ValueError as error:
            raise self.error(f"{found.group()[:40]!r} is not a JSON value") from error
        self.position = found.end()
        return value

    def object(self, depth: int) -> Node:
        """Read an object; a comma after its last member is allowed."""
        start = self.position
        members: list[tuple[str, Node, int]] = []
        self.position += 1
        while self.next_mark() != "}":
            key_start = self.position
            if self.next_mark() != '"':
                raise self.error("a key in double quotes is missing")
            key = self.string()
            if self.next_mark() != ":":
                raise self.error(f"there is no colon after the key {key!r}")
            self.position += 1
            members.append((key, self.value(depth + 1), key_start))
            self.separator("}")
        self.position += 1
        return Node(start, self.position, members=tuple(members), kind="object")

    def array(self, depth: int) -> Node:
        """Read an array; a comma after its last item is allowed."""
        start = self.position
        items: list[Node] = []
        self.position += 1
        while self.next_mark() != "]":
            items.append(self.value(depth + 1))
            self.separator("]")
        self.position += 1
        return Node(start, self.position, items=tuple(items), kind="array")

    def separator(self, closing: str) -> None:
        """Go past the comma between two entries, or stop before the closing bracket."""
        mark = self.next_mark()
        if mark == ",":
            self.position += 1
        elif mark != closing:
            raise self.error(f"a comma or {closing!r} is missing")
