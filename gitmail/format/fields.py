"""Typed reading of header values: texts in, values out, each complaint with file, line and key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NoReturn, TypeVar

from gitmail.errors import BrokenFile
from gitmail.format.problem import HeaderValue
from gitmail.values.ids import is_id
from gitmail.values.names import name_problem
from gitmail.values.text import line_problem
from gitmail.values.times import EXAMPLE, read_time

_Value = TypeVar("_Value")


class FieldReader:
    """Reads the values of one header by key; a missing or empty key is None, or the default.

    Every method raises BrokenFile when the value is of another type than asked for.
    """

    def __init__(self, values: Mapping[str, HeaderValue], data: bytes, file: str) -> None:
        self._values = values
        self._data = data
        self._file = file

    def fail(self, key: str, problem: str) -> NoReturn:
        """Raise BrokenFile for `key`, naming the line it stands on."""
        from gitmail.format.edit import key_line

        raise BrokenFile(self._file, f"{key!r} {problem}", key_line(self._data, self._file, key))

    def require(self, keys: Iterable[str]) -> None:
        """Insist that each of `keys` is there."""
        missing = [key for key in keys if key not in self._values]
        if missing:
            words = ", ".join(repr(key) for key in missing)
            raise BrokenFile(self._file, f"the header has no {words}", 1)

    def scalar(self, key: str) -> str | None:
        """Return the text of `key` as written."""
        value = self._values.get(key)
        if value is None or value == "":
            return None
        if not isinstance(value, str):
            self.fail(key, "must be a single value, not a list or map")
        return value

    def line(self, key: str, limit: int) -> str | None:
        """Return a one-line text of at most `limit` characters."""
        value = self.scalar(key)
        if value is not None:
            problem = line_problem(value, limit)
            if problem is not None:
                self.fail(key, problem)
        return value

    def needed_line(self, key: str, limit: int) -> str:
        """Return a one-line text that must not be missing."""
        return self._needed(key, self.line(key, limit))

    def time(self, key: str) -> datetime | None:
        """Return a time as an aware datetime in UTC."""
        value = self.scalar(key)
        if value is None:
            return None
        try:
            return read_time(value)
        except ValueError:
            self.fail(key, f"is not a time such as {EXAMPLE}: {value[:80]!r}")

    def needed_time(self, key: str) -> datetime:
        """Return a time that must not be missing."""
        return self._needed(key, self.time(key))

    def boolean(self, key: str) -> bool:
        """Return true for `true`, false for `false` or a missing key."""
        value = self.scalar(key)
        if value not in (None, "true", "false"):
            self.fail(key, f"must be true or false, not {value[:80]!r}" if value else "is empty")
        return value == "true"

    def integer(self, key: str) -> int | None:
        """Return a whole number of up to 18 digits, 0 or more."""
        value = self.scalar(key)
        if value is None:
            return None
        if not (value.isascii() and value.isdigit() and len(value) <= 18):
            self.fail(key, f"must be a whole number, not {value[:80]!r}")
        return int(value)

    def choice(self, key: str, accepted: Sequence[str], default: str) -> str:
        """Return one of `accepted`."""
        return self.optional_choice(key, accepted) or default

    def optional_choice(self, key: str, accepted: Sequence[str]) -> str | None:
        """Return one of `accepted`, None where the key is missing."""
        value = self.scalar(key)
        if value is not None and value not in accepted:
            self.fail(key, f"must be one of {', '.join(accepted)}, not {value[:80]!r}")
        return value

    def optional_id(self, key: str) -> str | None:
        """Return a whole id."""
        value = self.scalar(key)
        if value is not None and not is_id(value):
            self.fail(key, f"must be 32 lower-case hex digits, not {value[:80]!r}")
        return value

    def id(self, key: str) -> str:
        """Return a whole id that must not be missing."""
        return self._needed(key, self.optional_id(key))

    def name(self, key: str) -> str:
        """Return an agent's name that must not be missing."""
        value = self._needed(key, self.scalar(key))
        self._check_name(key, value)
        return value

    def names(self, key: str, may_be_empty: bool) -> tuple[str, ...]:
        """Return agents' names; one name without a list counts as a list of one."""
        value = self._values.get(key, "")
        if isinstance(value, dict):
            self.fail(key, "must be a list of names")
        names = value if isinstance(value, list) else [value] if value else []
        if not names and not may_be_empty:
            self.fail(key, "names nobody")
        for name in names:
            self._check_name(key, name)
        return tuple(names)

    def flat_map(self, key: str) -> dict[str, str]:
        """Return a flat map of texts."""
        value = self._values.get(key, "")
        if value == "":
            return {}
        if not isinstance(value, dict):
            self.fail(key, "must be a map such as {decision: rung}")
        return value

    def _check_name(self, key: str, name: str) -> None:
        problem = name_problem(name)
        if problem is not None:
            self.fail(key, f"holds the name {name[:80]!r}, which {problem}")

    def _needed(self, key: str, value: _Value | None) -> _Value:
        if value is None:
            self.fail(key, "is empty")
        return value
