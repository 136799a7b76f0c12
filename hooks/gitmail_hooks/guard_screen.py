"""What the guard says: one screen that names who, what, why, until when and what to do.

Pure text. File names and reasons are somebody else's words: control characters, bidi marks and
bytes that are no UTF-8 are shown as escapes, so that no terminal is driven by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from gitmail.reservations.touching import Touched
from gitmail.values.reservation import Reservation
from gitmail.values.text import shorten, visible

COLUMNS = 78
LINES = 24
_HOLDERS = 2
_PATHS_OF_ONE, _PATHS_OF_EACH = 8, 3


def blocked_screen(kind: str, found: Sequence[Touched], now: datetime) -> str:
    """Return the message of a stopped commit or push; at most LINES lines of COLUMNS columns.

    `kind` is `pre-commit` or `pre-push`; `found` holds at least one blocking path.
    """
    blocking = [one for one in found if one.blocking]
    groups = _by_reservation(blocking)
    what = "push" if kind == "pre-push" else "commit"
    lines = [f"gitmail: this {what} is stopped. It touches files that others work on.", ""]
    shown = _PATHS_OF_ONE if len(groups) == 1 else _PATHS_OF_EACH
    for reservation, paths in groups[:_HOLDERS]:
        lines += _group(reservation, paths, shown, now)
    if len(groups) > _HOLDERS:
        lines += [f"  and {len(groups) - _HOLDERS} more reservations: gitmail reservations", ""]
    return "\n".join(lines + _what_to_do(kind, groups[0][0], blocking[0].path)) + "\n"


def warning_screen(found: Sequence[Touched], now: datetime, person: bool = False) -> str:
    """Return the message of a commit that passes all the same; "" when there is nothing to say.

    `person` is true when exclusive reservations do not stop the caller, who has no agent name.
    """
    if not found:
        return ""
    lines = ["gitmail: for your information, others work on files that you change here."]
    for reservation, paths in _by_reservation(found)[:_HOLDERS]:
        more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        lines.append(_cut(f"  {show_path(paths[0])}{more}: {_who(reservation, now)}"))
    if person:
        lines.append("  You have no agent name, so this does not stop you.")
    return "\n".join(lines) + "\n"


def urgent_line(waiting: int, senders: Sequence[str]) -> str:
    """Return the one line about urgent letters that wait; "" when none does."""
    if waiting < 1:
        return ""
    names = ", ".join(visible(name) for name in senders[:3])
    letters = "letter" if waiting == 1 else "letters"
    return _cut(f"gitmail: {waiting} urgent {letters} from {names}: gitmail inbox") + "\n"


def failure_line(kind: str, reason: str) -> str:
    """Return what is said when the guard itself failed and therefore lets everything pass."""
    return _cut(f"gitmail: the {kind} guard checked nothing: {visible(reason)}") + "\n"


def problem_lines(problems: Sequence[str]) -> str:
    """Return what could not be read, one line each, so that nobody takes silence for consent."""
    return "".join(_cut(f"gitmail: not checked: {visible(one)}") + "\n" for one in problems[:3])


def show_path(path: bytes) -> str:
    """Return a file name for a screen: its own characters, everything unsafe as an escape."""
    return visible(path.decode("utf-8", "backslashreplace"))


def _by_reservation(found: Sequence[Touched]) -> list[tuple[Reservation, list[bytes]]]:
    groups: dict[str, tuple[Reservation, list[bytes]]] = {}
    for one in found:
        groups.setdefault(one.reservation.id, (one.reservation, []))[1].append(one.path)
    return list(groups.values())


def _group(
    reservation: Reservation, paths: Sequence[bytes], shown: int, now: datetime
) -> list[str]:
    lines = [_cut(f"  {_who(reservation, now)}")]
    if reservation.reason:
        lines.append(_cut(f"    why: {visible(reservation.reason)}"))
    lines += [_cut(f"    {show_path(path)}") for path in paths[:shown]]
    if len(paths) > shown:
        lines.append(f"    and {len(paths) - shown} more")
    return [*lines, ""]


def _who(reservation: Reservation, now: datetime) -> str:
    until = f"{reservation.expires:%Y-%m-%d %H:%M} UTC, {_span(reservation.expires - now)} from now"
    return f"{visible(reservation.holder)} until {until}"


def _span(left: timedelta) -> str:
    minutes = max(1, round(left.total_seconds() / 60))
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // 1440} days"


def _what_to_do(kind: str, first: Reservation, path: bytes) -> list[str]:
    """Return the ways on; the names in them are arguments, so odd ones are left to the reader."""
    plain = _plain_argument(path)
    lines = ["What you can do:"]
    if kind != "pre-push":
        lines.append(f"  leave them out         git restore --staged -- {plain}")
    lines += [
        f"  ask                    gitmail send {first.holder} -m TEXT",
        f"  wait your turn         gitmail reserve --wait {plain}",
        f"  holder gone 30 min?    gitmail release --force {first.id[:8]}",
        f"  go ahead all the same  git {'push' if kind == 'pre-push' else 'commit'} --no-verify",
    ]
    return lines


def _plain_argument(path: bytes) -> str:
    """Return a path as it can be typed; a placeholder for one that needs quoting or is long."""
    text = path.decode("ascii", "replace")
    typed = all(character.isalnum() or character in "._/-+@" for character in text)
    return text if typed and len(text) <= 40 and not text.startswith("-") else "PATH"


def _cut(line: str) -> str:
    return shorten(line, COLUMNS)
