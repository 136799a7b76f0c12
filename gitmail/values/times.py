"""Times: aware datetimes in UTC with microseconds, written `2026-11-30T20:01:02.123456+00:00`."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from gitmail.errors import InvalidInput

EXAMPLE = "2026-11-30T20:01:02.123456+00:00"

_MICROSECOND = timedelta(microseconds=1)
_SHAPE = re.compile(r"[0-9]{4}-?[0-9W][0-9-]+(?:[Tt ][0-9:.,]+(?: ?[Zz]|[+-][0-9:]+)?)?")
_ORDINAL = re.compile(r"^([0-9]{4})-?([0-9]{3})(?=[Tt ]|$)")
_DURATION = re.compile(r"([0-9]{1,9})(s|m|h|d|w)")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def format_time(moment: datetime) -> str:
    """Write `moment` as files and results show it; a naive one counts as UTC."""
    return _utc(moment).isoformat(timespec="microseconds")


def parse_time(text: str, argument: str = "timestamp") -> datetime:
    """Read any ISO 8601 date or date with time (naive means UTC) as an aware datetime in UTC.

    Raises InvalidInput `invalid_timestamp`, showing an example.
    """
    try:
        return read_time(text)
    except ValueError:
        raise InvalidInput(
            "invalid_timestamp",
            f"{argument} {text[:80]!r} is not a time in ISO 8601.",
            f"Write it like {EXAMPLE} or 2026-11-30T20:01:02Z.",
            argument=argument,
            example=EXAMPLE,
        ) from None


def read_time(text: str) -> datetime:
    """Do what parse_time does, raising a bare ValueError: for readers that name the place."""
    stripped = text.strip()
    if not _SHAPE.fullmatch(stripped):
        raise ValueError(text)
    whole = _ORDINAL.sub(_calendar_date, stripped).upper().replace(" Z", "Z")
    try:
        return _utc(datetime.fromisoformat(whole))
    except OverflowError:
        raise ValueError(text) from None


def _calendar_date(match: re.Match[str]) -> str:
    year, day = int(match[1]), int(match[2])
    first = datetime(year, 1, 1, tzinfo=UTC)
    date = first + timedelta(days=day - 1)
    if date.year != year:
        raise ValueError(match[0])
    return date.strftime("%Y-%m-%d")


def _utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC)


def compact_time(moment: datetime) -> str:
    """Write `moment` to the second as file names show it: `20261130T200102Z`."""
    return _utc(moment).strftime("%Y%m%dT%H%M%SZ")


def day_folder(moment: datetime) -> str:
    """Return the archive's folder of a day: `2026/11/30`."""
    return _utc(moment).strftime("%Y/%m/%d")


def after(previous: datetime | None, now: datetime) -> datetime:
    """Return `now`, or one microsecond past `previous` where the clock has not moved beyond it.

    So the dates of a store rise strictly, also under a clock that steps back.
    """
    if previous is None or now > previous:
        return _utc(now)
    return _utc(previous) + _MICROSECOND


def parse_duration(text: str, argument: str) -> int:
    """Read a span such as `24h`, `7d`, `90m`, `30s`, `2w` as seconds.

    Raises InvalidInput `invalid_<argument>`.
    """
    match = _DURATION.fullmatch(text.strip().lower())
    if match is None:
        raise InvalidInput(
            f"invalid_{argument}",
            f"{argument} {text[:80]!r} is not a span of time.",
            "Write a whole number and a unit: 90m, 24h, 7d.",
            argument=argument,
        )
    return int(match[1]) * _SECONDS[match[2]]
