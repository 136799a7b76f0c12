"""What reaches a person's terminal: colours and tables, and nothing that a letter wrote raw."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Mapping

import pytest
from gitmail_shell import Shell

EVIL = "\x1b]0;owned\x07 \x1b[31mred\x1b[0m \u202egnp.exe \u2066x\u2069 \x9b2J \u200f"


def at_terminal(shop: Shell, *args: str, env: Mapping[str, str] | None = None) -> str:
    """Run gitmail with a terminal as its output; returns what the terminal was sent."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "gitmail", *args],
        cwd=shop.folder, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "200", **(env or {})},
    )  # fmt: skip
    os.close(slave)
    said = b""
    while True:
        try:
            block = os.read(master, 65_536)
        except OSError:  # how Linux says that the other end is closed
            break
        if not block:
            break
        said += block
    os.close(master)
    assert process.wait(timeout=30) == 0, said
    return said.decode()


@pytest.fixture(scope="module")
def evil(shop: Shell) -> str:
    """A letter whose text drives terminals, and whose subject holds bidi marks."""
    return shop.ask(
        "send", "BlueLake", "-s", "pay \u202eowt\u202c \u2067now", "-m", "-", stdin=EVIL.encode()
    )["id"]


def test_nothing_of_a_letter_reaches_the_terminal_raw(shop: Shell, evil: str) -> None:
    for command in (("inbox", "BlueLake"), ("sent",), ("show", evil), ("read", evil), ("log",)):
        for said in (at_terminal(shop, *command), shop(*command).out):
            for mark in "\u202e\u202c\u2066\u2067\u2069\u200f\x9b\x07":
                assert mark not in said, (command, said)
            assert "\x1b]" not in said
            assert "\x1b[31mred" not in said
    shown = shop("show", evil).out
    assert "\x1b" not in shown
    assert "\\x1b]0;owned\\x07" in shown
    assert "\\u202egnp.exe" in shown


def test_a_terminal_gets_a_table_with_headings_and_a_pipe_does_not(shop: Shell, evil: str) -> None:
    seen = at_terminal(shop, "inbox", "BlueLake")
    assert "\x1b[1m" in seen
    assert "subject" in seen
    piped = shop("inbox", "BlueLake").out
    assert "\x1b" not in piped
    assert "subject" not in piped
    assert f"{evil[:8]}  20" in piped


def test_no_color_is_honoured(shop: Shell, evil: str) -> None:
    assert "\x1b[3" not in at_terminal(shop, "inbox", "BlueLake", env={"NO_COLOR": "1"})


def test_an_error_names_its_input_visibly(shop: Shell) -> None:
    failed = shop("inbox", "x\x1b[2Jy\u202e", code=1)
    assert "\x1b" not in failed.err
    assert "\u202e" not in failed.err


@pytest.mark.parametrize(
    "env",
    [
        {"LANG": "C", "LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
)
def test_any_locale_can_show_any_letter(shop: Shell, env: dict[str, str]) -> None:
    letter = shop.ask("send", "BlueLake", "-s", "Grüße 🐟", "-m", "日本語")["id"]
    shown = shop("show", letter, env=env)
    assert "Id:" in shown.out
    assert shop.ask("show", letter, env=env)["text"] == "日本語"
    assert shop.ask("send", "BlueLake", "-m", "-", stdin="für".encode(), env=env)["subject"] == (
        "für"
    )
