"""Reading a file: strict about the header, exact about values and text."""

from __future__ import annotations

import io

import frontmatter
import pytest
import yaml

from gitmail.errors import BrokenFile
from gitmail.format.events import read_entries
from gitmail.format.handler import HeaderHandler
from gitmail.format.header import load, load_strictly

FILE = "mail/RedFox/inbox/x.md"


def read(head: str, text: str = "") -> dict:
    return load(f"---\n{head}---\n{text}".encode(), FILE).values


@pytest.mark.parametrize(
    "written", ["no", "yes", "007", "1.10", "2026-01-01", "12:30:00", "null", "~", "0x1F", "1e3"]
)
@pytest.mark.parametrize("reader", [load, load_strictly])
def test_a_value_is_the_text_it_was_written_with(written, reader):
    data = f"---\nsubject: {written}\nlist: [{written}]\n---\n".encode()
    assert reader(data, FILE).values == {"subject": written, "list": [written]}


def test_every_yaml_style_of_a_text_list_or_map_is_understood():
    head = (
        "# a comment\n"
        "plain: a b  # behind\n"
        "'single': 'it''s'\n"
        'double: "a\\tb\\u00e9"\n'
        "empty:\n"
        "literal: |\n  one\n   two\n"
        "folded: >-\n  one\n  two\n"
        "many\u00e9: a\n  b\n"
        "flow: [a, 'b c', \"d\"]\n"
        "block:\n- a\n- b\n"
        "map: {a: 1, b: [] }\n"
    )
    with pytest.raises(BrokenFile, match="flat map"):
        read(head)
    assert read(head.replace("b: [] ", "b: c")) == {
        "plain": "a b",
        "single": "it's",
        "double": "a\tb\u00e9",
        "empty": "",
        "literal": "one\n two\n",
        "folded": "one two",
        "many\u00e9": "a b",
        "flow": ["a", "b c", "d"],
        "block": ["a", "b"],
        "map": {"a": "1", "b": "c"},
    }


@pytest.mark.parametrize(
    ("head", "problem", "line"),
    [
        ("from: a\nto: b\nfrom: evil\n", "'from' stands here and already on line 1", 4),
        ("x: !!python/object/apply:os.system ['true']\n", "a tag", 2),
        ("x: ! a\n", "a tag", 2),
        ("a: 1\nx: &anchor a\n", "an anchor", 3),
        ("x: *anchor\n", "alias", 2),
        ("<<: {from: evil}\n", "cannot be a key", 2),
        ("- a\n- b\n", "not made of `key: value` lines", 2),
        ("just words\n", "not made of `key: value` lines", 2),
        ("{a: b}\n", "not made of `key: value` lines", 2),
        ("  a: b\n", "beginning of its line", 2),
        ("? a\n: b\n", "beginning of its line", 2),
        ("? [a]\n: b\n", "beginning of its line", 2),
        ("a: [[b]]\n", "a list of texts", 2),
        ("a: {b: {c: d}}\n", "a flat map of texts", 2),
        ("a: {b: c, b: d}\n", "stands twice", 2),
        ("a: [b: c]\n", "a list of texts", 2),
        ('a: 1\nb: "unclosed\n', "not valid YAML", None),
        ("a: 1\nb: c: d\n", "not valid YAML", 3),
        ("a: 1\n\tb: 2\n", "not valid YAML", 3),
        ("a: 1\n--- b\n", "second YAML document", 3),
        ("a: 1\n...\nb: 2\n", "second YAML document", None),
        ("%YAML 1.1\n", "not valid YAML", None),
        ('a: "\\ud800"\n', "Unicode character", 2),
        ("a: \x07\n", "not valid YAML", None),
        ("a: 1\n>>>>>>> theirs\n", "conflict markers", 3),
        ("<<<<<<< ours\na: 1\n=======\na: 2\n>>>>>>> theirs\n", "conflict markers", 2),
        ("a: 1\n=======\n", "conflict markers", 3),
    ],
)
def test_a_header_the_format_does_not_allow_is_broken(head, problem, line):
    for reader in (load, load_strictly):
        with pytest.raises(BrokenFile) as caught:
            reader(f"---\n{head}---\n".encode(), FILE)
        assert problem in caught.value.problem
        assert caught.value.facts["file"] == FILE
        if line is not None:
            assert caught.value.line == line


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "first line"),
        (b"hello\n", "first line"),
        (b"\n---\na: b\n---\n", "first line"),
        (b" ---\na: b\n---\n", "first line"),
        (b"----\na: b\n----\n", "first line"),
        (b"---json\n{}\n---\n", "first line"),
        (b"---\na: b\n", "closing fence"),
        (b"---\na: b\n ---\ntext\n", "closing fence"),
        (b"---\na: b\n----\n", "closing fence"),
        (b"---\na: \xff\n---\n", "UTF-8"),
        (b"---\na: b\n---\n\nx\n\xe9\n", "UTF-8"),
        (b"---\na: " + b"x" * 65536 + b"\n---\n", "longer than 65536 bytes"),
        (b"---\na: b\n" + b"x" * 100_000, "longer than 65536 bytes"),
    ],
)
def test_a_file_without_a_proper_header_is_broken(data, problem):
    for reader in (load, load_strictly):
        with pytest.raises(BrokenFile) as caught:
            reader(data, FILE)
        assert problem in caught.value.problem


def test_the_line_of_a_byte_that_is_not_utf8_is_named():
    with pytest.raises(BrokenFile) as caught:
        load(b"---\na: b\n---\n\nx\n\xe9\n", FILE)
    assert caught.value.line == 6


def test_an_alias_bomb_is_refused_at_its_first_anchor():
    bomb = "a: &a [x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(10))
    with pytest.raises(BrokenFile, match="anchor"):
        read(bomb)


@pytest.mark.parametrize("bracket", ["[", "{", "- ", "? "])
def test_deep_nesting_is_refused_without_recursion(bracket):
    with pytest.raises(BrokenFile):
        read("a: " + bracket * 20_000 + "\n")


@pytest.mark.parametrize("loader", [yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)])
def test_both_yaml_loaders_see_the_same_entries(loader):
    head = "\u00e9: \U0001f389  # c\nb: |\n  x\n\n\n# between\nc:\n- 1\n- 2 # two\nd: [a,\n  b]\n"
    entries = read_entries(head, loader)
    assert [(one.key, one.value, head[one.start : one.end], one.line) for one in entries] == [
        ("\u00e9", "\U0001f389", "\u00e9: \U0001f389", 1),
        ("b", "x\n", "b: |\n  x\n\n\n", 2),
        ("c", ["1", "2"], "c:\n- 1\n- 2", 7),
        ("d", ["a", "b"], "d: [a,\n  b]", 10),
    ]


@pytest.mark.parametrize(
    ("tail", "text"),
    [
        ("", ""),
        ("\n", ""),
        ("\n\n", ""),
        ("\nx", "x"),
        ("\nx\n", "x"),
        ("\nx\n\n", "x\n"),
        ("x\n", "x"),
        ("\n\nx\n", "\nx"),
        ("\n    code\n", "    code"),
        ("\na\n\n---\n\nkey: v\n\n---\nb\n", "a\n\n---\n\nkey: v\n\n---\nb"),
        ("\n---\nfrom: evil\n---\n\n", "---\nfrom: evil\n---\n"),
        ("\na\r\nb\r\n", "a\r\nb\r"),
    ],
)
@pytest.mark.parametrize("reader", [load, load_strictly])
def test_the_text_is_what_stands_between_one_empty_line_and_one_line_end(tail, text, reader):
    header = reader(f"---\nfrom: a\n---\n{tail}".encode(), FILE)
    assert header.text == text
    assert header.values == {"from": "a"}


@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_a_file_saved_with_byte_order_mark_and_crlf_reads_the_same(bom):
    unix = "---\nfrom: a\nto: [b, c]\nsubject: 'x: y'\n---\n\nHello\n\nBye\n"
    saved = (bom + unix.replace("\n", "\r\n")).encode()
    header = load(saved, FILE)
    assert header.values == load(unix.encode(), FILE).values
    assert header.text == "Hello\r\n\r\nBye"


def test_spaces_behind_a_fence_do_not_hide_it():
    assert load(b"--- \na: b\n---\t\n\nx\n", FILE) == load(b"---\na: b\n---\n\nx\n", FILE)


def test_an_empty_header_is_an_empty_map():
    for reader in (load, load_strictly):
        assert reader(b"---\n---\n\nx\n", FILE).values == {}
        assert reader(b"---\n# only a comment\n---\n", FILE).values == {}


def test_the_loader_is_a_safe_one_also_without_the_c_library(monkeypatch):
    import importlib

    import gitmail.format.events as events

    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    try:
        assert importlib.reload(events)._LOADER is yaml.SafeLoader
        assert events.read_entries("a: no\n")[0].value == "no"
    finally:
        monkeypatch.undo()
        importlib.reload(events)


def test_python_frontmatter_reads_and_writes_through_the_handler():
    handler = HeaderHandler()
    source = '---\nfrom: a\nsubject: no\nto: [b, "007"]\n---\n\nHello\n'
    post = frontmatter.load(io.StringIO(source), handler=handler)
    assert post.metadata == {"from": "a", "subject": "no", "to": ["b", "007"]}
    assert post.content == "Hello"
    assert frontmatter.dumps(post, handler=handler) == (
        '---\nfrom: a\nsubject: "no"\nto: [b, "007"]\n---\n\nHello'
    )
    assert handler.detect("\ufeff---\r\na: b\r\n---\r\n")
    assert handler.detect(source)
    assert not handler.detect("hello\n---\n")
