from __future__ import annotations

import io
import json
from pathlib import Path

from gitmail.demo.failure import DemoFailed
from gitmail.demo.report import Outcome, Reporter, reporter_for
from gitmail.demo.run import run_demo

OUTCOME = Outcome("/d", "/d/p", "/d/w", "/d/p/.git/gitmail", 2, 1, ("a",), {"BlueLake": 1}, 0.5)


def reported(as_json: bool, tell: str) -> str:
    stream = io.StringIO()
    reporter: Reporter = reporter_for(stream, as_json)
    reporter.note(f"note {tell}")
    reporter.step(1, 2, f"step {tell}", 3.4)
    reporter.check(f"check {tell}")
    reporter.show(f"title {tell}", (f"line {tell}", ""))
    reporter.failed(DemoFailed(f"why {tell}", problems=[f"problem {tell}"]), Path("/d"))
    return stream.getvalue()


def test_nothing_that_was_written_drives_the_terminal() -> None:
    said = reported(False, "\x1b]0;title\x07\x1b[2J\u202e end")
    assert not {"\x1b", "\x07", "\u202e"} & set(said)
    assert said.count(" end") == 7


def test_plain_lines_tell_everything_in_order() -> None:
    words = ("note x", "step x", "check x", "title x", "line x", "why x", "problem x", "/d")
    said = reported(False, "x")
    places = [said.index(word) for word in words]
    assert places == sorted(places)


def test_json_is_one_object_and_nothing_else() -> None:
    shape = json.loads(reported(True, "x"))
    assert shape == {
        "ok": False,
        "error": "demo_failed",
        "message": "why x",
        "problems": ["problem x"],
        "path": "/d",
    }


def test_a_good_outcome_names_the_folder_in_both_forms() -> None:
    for as_json in (False, True):
        stream = io.StringIO()
        reporter_for(stream, as_json).done(OUTCOME)
        assert "/d/p" in stream.getvalue()
    assert json.loads(stream.getvalue())["ok"] is True


def test_a_stream_that_cannot_hold_a_character_gets_an_escape() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    reporter_for(stream, False).note("low \N{MINUS SIGN}0.12")
    stream.flush()
    assert raw.getvalue() == b"low \\u22120.12\n"


def test_a_demo_that_cannot_begin_says_so_and_returns_1(tmp_path: Path) -> None:
    (tmp_path / "occupied").write_text("")
    stream = io.StringIO()
    assert run_demo(tmp_path, reporter_for(stream, True), {}) == 1
    assert json.loads(stream.getvalue())["path"] is None
