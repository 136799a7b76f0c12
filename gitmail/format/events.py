"""The strict reader of headers, made of YAML events: no value is ever interpreted.

PyYAML's constructors turn `no` into False, `1.10` into 1.1 and a second `from:` into the only
one. Events still hold the characters that were written, so this reader keeps those, and refuses
what a header has no use for: tags, anchors, aliases, duplicate keys, depth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from gitmail.format.problem import HeaderProblem, HeaderValue

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7})(?= |\r?$)", re.MULTILINE)
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Entry:
    """One key of a header, its value, and the characters `start:end` of the header they fill."""

    key: str
    value: HeaderValue
    start: int
    end: int
    line: int


def read_entries(head: str, loader: Any = None) -> list[Entry]:
    """Return the entries of a header (the lines between its fences) in their order.

    Raises HeaderProblem. `loader` is a PyYAML loader class, by default the fastest safe one.
    """
    conflict = _CONFLICT.search(head)
    if conflict is not None:
        line = head.count("\n", 0, conflict.start()) + 1
        raise HeaderProblem("the conflict markers of a merge", line)
    try:
        return _Reader(head, yaml.parse(head, loader or _LOADER)).entries()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
        raise HeaderProblem(
            f"not valid YAML: {problem}", None if mark is None else mark.line + 1
        ) from None


class _Reader:
    """Walks the events of one header once, and refuses at the first thing that is not allowed."""

    def __init__(self, head: str, events: Iterator[Any]) -> None:
        self._head = head
        self._events = events

    def entries(self) -> list[Entry]:
        self._next()
        start = self._next()
        if isinstance(start, yaml.StreamEndEvent):
            return []
        if start.explicit:
            raise _problem("a second YAML document", start)
        root = self._next()
        if not isinstance(root, yaml.MappingStartEvent) or root.flow_style:
            raise _problem("the header is not made of `key: value` lines", root)
        self._check(root)
        found = list(self._mapping())
        end = self._next()
        if end.explicit or not isinstance(self._next(), yaml.StreamEndEvent):
            raise _problem("a second YAML document", end)
        return found

    def _mapping(self) -> Iterator[Entry]:
        lines: dict[str, int] = {}
        while not _ends(event := self._next(), yaml.MappingEndEvent):
            key = self._key(event)
            line = event.start_mark.line + 1
            if key in lines:
                raise HeaderProblem(
                    f"the key {key!r} stands here and already on line {lines[key]} of the header",
                    line,
                )
            lines[key] = line
            value, end = self._value(self._next())
            yield Entry(key, value, event.start_mark.index, end, line)

    def _key(self, event: Any) -> str:
        at_line_start = event.start_mark.column == 0
        if not at_line_start or not isinstance(event, yaml.ScalarEvent):
            raise _problem("a key must be one word at the beginning of its line", event)
        key = self._scalar(event)
        if not key or key == "<<" or "\n" in key:
            raise _problem(f"{key!r} cannot be a key", event)
        return key

    def _value(self, event: Any) -> tuple[HeaderValue, int]:
        """Return a value and where it ends; a block list ends with its last item."""
        end: int = event.end_mark.index
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event), end
        self._check(event)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._list(event)
        if isinstance(event, yaml.MappingStartEvent):
            return self._map(event)
        raise _problem("an alias is not allowed", event)

    def _list(self, start: Any) -> tuple[list[str], int]:
        items: list[str] = []
        end = start.end_mark.index
        while not _ends(event := self._next(), yaml.SequenceEndEvent):
            items.append(self._flat(event))
            end = event.end_mark.index
        return items, event.end_mark.index if start.flow_style else end

    def _map(self, start: Any) -> tuple[dict[str, str], int]:
        pairs: dict[str, str] = {}
        end = start.end_mark.index
        while not _ends(event := self._next(), yaml.MappingEndEvent):
            key = self._flat(event)
            if key in pairs or key == "<<":
                raise _problem(f"the key {key!r} is not allowed here or stands twice", event)
            event = self._next()
            pairs[key] = self._flat(event)
            end = event.end_mark.index
        return pairs, event.end_mark.index if start.flow_style else end

    def _flat(self, event: Any) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            raise _problem("only a text, a list of texts or a flat map of texts is allowed", event)
        return self._scalar(event)

    def _scalar(self, event: Any) -> str:
        self._check(event)
        value: str = event.value
        if _SURROGATE.search(value):
            raise _problem("an escape that is no Unicode character", event)
        return value

    def _check(self, event: Any) -> None:
        if event.anchor is not None:
            raise _problem("an anchor or alias is not allowed", event)
        if event.tag is not None:
            raise _problem("a tag is not allowed", event)

    def _next(self) -> Any:
        return next(self._events)


def _ends(event: Any, kind: type[yaml.Event]) -> bool:
    return isinstance(event, kind)


def _problem(problem: str, event: Any) -> HeaderProblem:
    return HeaderProblem(problem, event.start_mark.line + 1)
