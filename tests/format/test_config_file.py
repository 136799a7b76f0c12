"""gitmail.toml: defaults, every setting, and complaints that name file and key."""

from __future__ import annotations

from dataclasses import fields

import pytest

from gitmail.errors import BrokenFile, StoreUnavailable
from gitmail.format.config import Limits, StoreConfig, config_from_bytes, default_config_text

LEAST = 'format = 1\nname = "shop"\n'


def read(text: str) -> StoreConfig:
    return config_from_bytes(text.encode())


def test_what_is_not_said_has_its_default():
    config = read(LEAST)
    assert config == StoreConfig(name="shop")
    assert config.pending_ttl == 86400
    assert config.limits == Limits(60, 256, 1000, 50, 6, 12, 20, 200, 30)


def test_every_setting_is_read():
    config = read(
        LEAST
        + 'maintainers = ["PatPerson"]\n'
        + '[mail]\npending_ttl = "7d"\nhistory_days = 30\n'
        + "[limits]\n"
        + "".join(f"{field.name} = 0\n" for field in fields(Limits))
        + '[delegates]\nshop = ["BlueLake"]\n"other shop" = []\n'
        + '[wake]\ncommand = ["notify-send", "gitmail"]\n'
        + '[guard]\npeople = "block"\n'
    )
    assert config == StoreConfig(
        name="shop",
        maintainers=("PatPerson",),
        pending_ttl=604800,
        history_days=30,
        limits=Limits(*[0] * 9),
        delegates={"shop": ("BlueLake",), "other shop": ()},
        wake_command=("notify-send", "gitmail"),
        guard_people="block",
    )


@pytest.mark.parametrize(
    ("written", "seconds"), [("3600", 3600), ('"24h"', 86400), ('"90m"', 5400), ('"never"', None)]
)
def test_the_time_a_letter_waits_is_seconds_a_span_or_never(written, seconds):
    assert read(f"{LEAST}[mail]\npending_ttl = {written}\n").pending_ttl == seconds


def test_an_unknown_key_is_a_warning():
    config = read(LEAST + "colour = 1\n[limits]\nfanuot = 3\n[guard]\npeoples = 1\n")
    assert config.warnings == (
        "gitmail.toml: colour means nothing here",
        "gitmail.toml: limits.fanuot means nothing here",
        "gitmail.toml: guard.peoples means nothing here",
    )


@pytest.mark.parametrize("text", ["format = 2\n", "format = 0\n", "format = 2\nname = 7\n"])
def test_a_store_of_another_format_is_not_touched(text):
    with pytest.raises(StoreUnavailable) as caught:
        read(text)
    assert caught.value.code == "unsupported_format"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "format"),
        ('name = "shop"\n', "format"),
        ('format = "1"\n', "format"),
        ("format = true\n", "format"),
        ("format = 1\n", "name"),
        ("format = 1\nname = 7\n", "name"),
        ('format = 1\nname = "a b"\n', "name"),
        (LEAST + "maintainers = 'PatPerson'\n", "maintainers"),
        (LEAST + "maintainers = ['Pat Person']\n", "maintainers"),
        (LEAST + "mail = 1\n", "mail"),
        (LEAST + "[mail]\npending_ttl = true\n", "mail.pending_ttl"),
        (LEAST + "[mail]\npending_ttl = 0\n", "mail.pending_ttl"),
        (LEAST + "[mail]\npending_ttl = -5\n", "mail.pending_ttl"),
        (LEAST + "[mail]\npending_ttl = 1.5\n", "mail.pending_ttl"),
        (LEAST + "[mail]\npending_ttl = 'tomorrow'\n", "mail.pending_ttl"),
        (LEAST + "[mail]\nhistory_days = '30'\n", "mail.history_days"),
        (LEAST + "[limits]\nfanout = -1\n", "limits.fanout"),
        (LEAST + "[limits]\nfanout = true\n", "limits.fanout"),
        (LEAST + "[delegates]\nshop = 'BlueLake'\n", "delegates.shop"),
        (LEAST + "[wake]\ncommand = 'notify-send x'\n", "wake.command"),
        (LEAST + "[wake]\ncommand = [1]\n", "wake.command"),
        (LEAST + "[guard]\npeople = 'shout'\n", "guard.people"),
    ],
)
def test_a_wrong_value_names_file_and_key(text, key):
    with pytest.raises(BrokenFile) as caught:
        read(text)
    assert caught.value.file == "gitmail.toml"
    assert key in caught.value.problem


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"format = 1\nname = \n", 2),
        (b"format = 1\nformat = 1\n", 2),
        (b'format = 1\nname = "x', 2),
        (b"format = 1\n# \xff\n", 2),
        (b"format = 1\n[mail\n", 2),
    ],
)
def test_a_file_that_is_no_toml_names_the_line(data, line):
    with pytest.raises(BrokenFile) as caught:
        config_from_bytes(data)
    assert caught.value.line in (line, line + 1)


def test_a_byte_order_mark_and_crlf_are_understood():
    assert config_from_bytes(b"\xef\xbb\xbf" + LEAST.replace("\n", "\r\n").encode()).name == "shop"


def test_the_file_of_a_new_store_says_the_defaults():
    text = default_config_text("shop", ("PatPerson", "SamOther"))
    assert read(text) == StoreConfig(name="shop", maintainers=("PatPerson", "SamOther"))
    switched_on = "\n".join(
        line.removeprefix("# ") if " = " in line and "shop" not in line else line
        for line in text.splitlines()
    ).replace("0 = no limit.", "# 0 = no limit.")
    switched_on = switched_on.replace('command = ["notify-send", "gitmail"]', "command = []")
    switched_on = switched_on.replace("How many days", "# How many days")
    assert read(switched_on) == read(text)


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a\nb", "\x7f"])
def test_no_name_breaks_out_of_its_quotes(name):
    import tomllib

    assert tomllib.loads(default_config_text(name))["name"] == name
