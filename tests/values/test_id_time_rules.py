"""Ids and times: their one written form, and everything accepted in their place."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmail.errors import InvalidInput
from gitmail.values.ids import distinguishing_prefixes, id_or_prefix, is_id, new_id
from gitmail.values.times import (
    EXAMPLE,
    after,
    compact_time,
    day_folder,
    format_time,
    parse_duration,
    parse_time,
)

MOMENT = datetime(2026, 11, 30, 20, 1, 2, 123456, UTC)


def test_an_id_is_made_of_the_bytes_it_is_given():
    assert new_id(lambda count: b"\x3f" * count) == "3f" * 16
    assert is_id(new_id())
    assert new_id() != new_id()


def test_an_id_or_prefix_is_taken_in_either_case():
    assert id_or_prefix("3F9A1C22", "message_id") == "3f9a1c22"
    assert id_or_prefix("a" * 32, "message_id") == "a" * 32


@pytest.mark.parametrize("text", ["", "3f9a1c2", "a" * 33, "3f9a1c2g", "../3f9a1c22", "-3f9a1c22"])
def test_anything_but_8_to_32_hex_digits_is_no_id(text):
    with pytest.raises(InvalidInput) as caught:
        id_or_prefix(text, "message_id")
    assert caught.value.code == "invalid_message_id"


def test_prefixes_are_as_long_as_it_takes_to_tell_ids_apart():
    first, second, third = "ab" * 16, "ab" * 8 + "cd" * 8, "ef" * 16
    assert distinguishing_prefixes([first, second, third]) == [
        "ab" * 8 + "a",
        "ab" * 8 + "c",
        "ef" * 4,
    ]


def test_a_time_is_written_in_utc_with_microseconds():
    assert format_time(MOMENT) == EXAMPLE
    assert format_time(MOMENT.replace(microsecond=0)) == "2026-11-30T20:01:02.000000+00:00"
    east = MOMENT.astimezone(timezone(timedelta(hours=5, minutes=30)))
    assert format_time(east) == EXAMPLE
    assert format_time(MOMENT.replace(tzinfo=None)) == EXAMPLE


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-30T20:01:02.123456+00:00",
        "2026-11-30T20:01:02.123456Z",
        "2026-11-30T20:01:02,123456z",
        "2026-11-30 20:01:02.123456",
        "20261130T200102.123456Z",
        "2026-11-30t21:01:02.123456+01:00",
        "2026-W49-1T20:01:02.123456Z",
        "2026-334T20:01:02.123456Z",
        "2026334T200102.123456Z",
        "  2026-11-30T20:01:02.123456 Z ",
    ],
)
def test_any_iso_8601_time_is_understood_and_naive_means_utc(text):
    assert parse_time(text) == MOMENT


def test_a_date_alone_is_its_midnight():
    assert parse_time("2026-11-30") == datetime(2026, 11, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026-13-01",
        "2026-02-30",
        "2026-11-30x20:01",
        "1764532862",
        "2026-366",
        "2026-000",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        "\u0662026-11-30",
        "2026-11-30T20:01:02+99:00",
    ],
)
def test_anything_else_is_an_invalid_timestamp_with_an_example(text):
    with pytest.raises(InvalidInput) as caught:
        parse_time(text, "since_ts")
    assert caught.value.code == "invalid_timestamp"
    assert caught.value.facts["argument"] == "since_ts"
    assert EXAMPLE in caught.value.hint


@given(st.datetimes(timezones=st.just(UTC)))
@settings(max_examples=200, deadline=None)
def test_every_time_reads_back(moment):
    assert parse_time(format_time(moment)) == moment


def test_file_names_and_folders_use_utc():
    west = MOMENT.astimezone(timezone(timedelta(hours=-10)))
    assert compact_time(west) == "20261130T200102Z"
    assert day_folder(west) == "2026/11/30"


@given(st.lists(st.datetimes(min_value=datetime(2000, 1, 1), timezones=st.just(UTC)), max_size=20))
@settings(max_examples=100, deadline=None)
def test_dates_rise_strictly_whatever_the_clock_does(clock):
    dates: list[datetime] = []
    for now in clock:
        dates.append(after(dates[-1] if dates else None, now))
    assert all(later > earlier for earlier, later in itertools.pairwise(dates))
    assert all(date >= now for date, now in zip(dates, clock, strict=True))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30s", 30), ("90m", 5400), ("24h", 86400), ("7D", 604800), ("2w", 1209600)],
)
def test_a_span_is_a_number_and_a_unit(text, seconds):
    assert parse_duration(text, "ttl") == seconds


@pytest.mark.parametrize("text", ["", "24", "h", "-1h", "1.5h", "1y", "1h30m"])
def test_any_other_span_is_refused(text):
    with pytest.raises(InvalidInput) as caught:
        parse_duration(text, "ttl")
    assert caught.value.code == "invalid_ttl"
