"""gitmail.toml: the store's own settings (docs/format.md), read with the standard library."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from gitmail.errors import BrokenFile, InvalidInput, StoreUnavailable
from gitmail.values.names import name_problem
from gitmail.values.paths import CONFIG
from gitmail.values.times import parse_duration

FORMAT = 1
DAY = 86_400
GUARD_PEOPLE = ("warn", "block")

_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)|\(at end of document\)")
_TOP_KEYS = ("format", "name", "maintainers", "mail", "limits", "delegates", "wake", "guard")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a thing is allowed; 0 means no limit (contract: memory_message, send, waking)."""

    requests_per_minute: int = 60
    pending_per_mailbox: int = 256
    unhandled_per_mailbox: int = 1000
    fanout: int = 50
    urgent_per_sender_hour: int = 6
    delegate_urgent_per_sender_hour: int = 12
    rings_per_recipient_hour: int = 20
    rings_per_store_day: int = 200
    maintainer_rings_per_recipient_hour: int = 30


@dataclass(frozen=True, slots=True)
class StoreConfig:
    """The settings of a store.

    `pending_ttl` is in seconds, None for never; `history_days` 0 means forever; `delegates` maps
    a project to its delegates' names; `warnings` are sentences about keys that mean nothing.
    """

    name: str
    maintainers: tuple[str, ...] = ()
    pending_ttl: int | None = DAY
    history_days: int = 0
    limits: Limits = Limits()
    delegates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    wake_command: tuple[str, ...] = ()
    guard_people: str = "warn"
    warnings: tuple[str, ...] = ()


def config_from_bytes(data: bytes, file: str = CONFIG) -> StoreConfig:
    """Read gitmail.toml.

    Raises StoreUnavailable `unsupported_format` for a store of another format, BrokenFile naming
    file and key for a wrong type or value. Unknown keys become `warnings`.
    """
    table = _Table(_parse(data, file), file)
    _check_format(table, file)
    mail, wake, guard = table.table("mail"), table.table("wake"), table.table("guard")
    limits, delegates = table.table("limits"), table.table("delegates")
    limit_keys = [one.name for one in fields(Limits)]
    warnings = [
        *table.unknown(_TOP_KEYS),
        *mail.unknown(("pending_ttl", "history_days")),
        *limits.unknown(limit_keys),
        *wake.unknown(("command",)),
        *guard.unknown(("people",)),
    ]
    given = {key: limits.integer(key, 0) for key in limit_keys if key in limits.values}
    return StoreConfig(
        name=table.name("name"),
        maintainers=table.names("maintainers"),
        pending_ttl=_pending_ttl(mail),
        history_days=mail.integer("history_days", 0),
        limits=Limits(**given),
        delegates={project: delegates.names(project) for project in delegates.values},
        wake_command=wake.strings("command"),
        guard_people=guard.choice("people", GUARD_PEOPLE),
        warnings=tuple(warnings),
    )


def default_config_text(name: str, maintainers: tuple[str, ...] = ()) -> str:
    """Return the gitmail.toml of a new store, every setting shown with its default."""
    limits = "\n".join(f"# {one.name} = {one.default}" for one in fields(Limits))
    listed = ", ".join(_quoted(maintainer) for maintainer in maintainers)
    return f"""\
# The settings of this gitmail store (docs/format.md). Lines with # show the defaults.
format = {FORMAT}

# The store's short name: tools accept it in place of a path of the project.
name = {_quoted(name)}

# People whose letters count as a maintainer's.
maintainers = [{listed}]

[mail]
# How long a letter sent by an agent waits before it expires: 24h, 7d, seconds, or "never".
# pending_ttl = "24h"
# How many days of mail the history shows; 0 = all of it.
# history_days = 0

[limits]
# 0 = no limit.
{limits}

[delegates]
# Agents who may ring for a maintainer, by project.
# shop = ["BlueLake"]

[wake]
# A program to start for each ring, as a list of arguments; no shell.
# command = ["notify-send", "gitmail"]

[guard]
# What the commit guard does to a person without an agent name: "warn" or "block".
# people = "warn"
"""


class _Table:
    """One table of the file, read by key; complains with file and dotted key."""

    def __init__(self, values: Mapping[str, Any], file: str, prefix: str = "") -> None:
        self.values = values
        self._file = file
        self._prefix = prefix

    def fail(self, key: str, wanted: str) -> BrokenFile:
        return BrokenFile(self._file, f"{self._prefix}{key} must be {wanted}")

    def table(self, key: str) -> _Table:
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self.fail(key, f"a table, written [{key}]")
        return _Table(value, self._file, f"{self._prefix}{key}.")

    def unknown(self, known: tuple[str, ...] | list[str]) -> list[str]:
        strange = [key for key in self.values if key not in known]
        return [f"{self._file}: {self._prefix}{key} means nothing here" for key in strange]

    def integer(self, key: str, default: int) -> int:
        value = self.values.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self.fail(key, "a whole number, 0 or more")
        return value

    def string(self, key: str, default: str = "") -> str:
        value = self.values.get(key, default)
        if not isinstance(value, str):
            raise self.fail(key, "a string")
        return value

    def strings(self, key: str) -> tuple[str, ...]:
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.fail(key, "a list of strings")
        return tuple(value)

    def name(self, key: str) -> str:
        value = self.string(key)
        problem = name_problem(value)
        if problem is not None:
            raise self.fail(key, f"a name, and {value[:80]!r} {problem}")
        return value

    def names(self, key: str) -> tuple[str, ...]:
        names = self.strings(key)
        for name in names:
            problem = name_problem(name)
            if problem is not None:
                raise self.fail(key, f"a list of names, and {name[:80]!r} {problem}")
        return names

    def choice(self, key: str, accepted: tuple[str, ...]) -> str:
        value = self.string(key, accepted[0])
        if value not in accepted:
            raise self.fail(key, f"one of {', '.join(accepted)}")
        return value


def _parse(data: bytes, file: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BrokenFile(file, "not valid UTF-8", line) from None
    except tomllib.TOMLDecodeError as error:
        found = _AT_LINE.search(str(error))
        line = int(found[1]) if found and found[1] else data.count(b"\n") + 1
        problem = _AT_LINE.sub("", str(error)).strip()
        raise BrokenFile(file, f"not valid TOML: {problem}", line) from None


def _check_format(table: _Table, file: str) -> None:
    if "format" not in table.values:
        raise BrokenFile(file, f"the key format is missing; this gitmail writes format = {FORMAT}")
    number = table.integer("format", FORMAT)
    if number != FORMAT:
        raise StoreUnavailable(
            "unsupported_format",
            f"{file} says format = {number}, and this gitmail reads format {FORMAT}.",
            "Use the gitmail version that the project uses.",
            file=file,
            format=number,
        )


def _pending_ttl(mail: _Table) -> int | None:
    value = mail.values.get("pending_ttl", DAY)
    if value == "never":
        return None
    try:
        seconds = parse_duration(value, "pending_ttl") if isinstance(value, str) else value
    except InvalidInput:
        seconds = 0
    if not isinstance(seconds, int) or isinstance(seconds, bool) or seconds < 1:
        raise mail.fail("pending_ttl", 'seconds above 0, a span such as "24h" or "7d", or "never"')
    return seconds


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub("[\x00-\x1f\x7f]", lambda one: f"\\u{ord(one[0]):04x}", escaped) + '"'
