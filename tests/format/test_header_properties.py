"""Properties of the format: what is written reads back, by us and by every other YAML reader."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gitmail.errors import BrokenFile
from gitmail.format.edit import set_keys, splice
from gitmail.format.header import Header, _load_canonical, load, load_strictly
from gitmail.format.writing import dump, header_line

FILE = "x.md"

TRICKY = [
    "no", "Yes", "off", "y", "null", "~", "true", "False", "", " ", "=", "<<", "-", "---", "...",
    "007", "1.10", "1_000", "0x1F", "0o17", "0b11", "1e3", "12e45", "-1", "+1", ".5", ".inf",
    "-.INF", ".nan", "1:30", "12:30:00", "190:20:30.15", "2026-01-01", "2026-1-1",
    "2026-01-01T00:00:00Z",
    "2026-01-01 1:2:3", "a: b", "a:", ":a", "a #b", "#a", "a#b", "a:b", "a,b", "[a", "{a", "*a",
    "&a", "!a", "|", ">", "'a", '"a', "%a", "@a", "`a", "? a", "- a", "a\tb", "a\nb", " a", "a ",
    "a  b", "\x00", "\x1b[31m", "\x85", "\xa0", "\u2028", "\u202e", "\ufeff", "\ufffe",
    "\U0001f389",
    "\\", '\\"', "\\n", "a\\", "\u00e9t\u00e9", "\u65e5\u672c", "0", "1", "1.", "1,000", "0777",
    "12345678901234567890123456789012", "12e45678901234567890123456789012", "NaN", "Infinity",
]  # fmt: skip

texts = st.one_of(
    st.sampled_from(TRICKY),
    st.text(st.characters(codec="utf-8"), max_size=40),
    st.text("ab:#,[]{}'\"\\ -.0123456789eExtZT_+\n\t\u00e9", max_size=20),
)
keys = st.from_regex(r"[a-z][a-z0-9_]{0,12}", fullmatch=True).filter(
    lambda key: key not in ("y", "n", "yes", "no", "on", "off", "true", "false", "null")
)
values = st.one_of(
    texts,
    st.lists(texts, max_size=4),
    st.dictionaries(texts.filter(lambda key: key != "<<"), texts, max_size=4),
)
headers = st.dictionaries(keys, values, max_size=6)
bodies = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=200),
    st.text("-\n\r ab:\t", max_size=60),
    st.sampled_from(
        ["", "\n", "---\n", "\n---\n", "x\r", "\r\n", "    code\n", "---\nfrom: evil\n---\n"]
    ),
)


@given(headers, bodies)
@example({"a": TRICKY}, "\n")
@settings(max_examples=200, deadline=None)
def test_what_is_written_reads_back(values, text):
    data = dump(values.items(), text)
    assert load(data, FILE) == Header(values, text)


@given(headers, bodies)
@example({"a": TRICKY}, "x")
@settings(max_examples=200, deadline=None)
def test_what_is_written_needs_no_slow_reader_and_that_one_agrees(values, text):
    data = dump(values.items(), text)
    assert _load_canonical(data.decode()) == load_strictly(data, FILE)


@given(headers)
@example({f"k{number}": value for number, value in enumerate(TRICKY)})
@example({"list": TRICKY, "map": dict.fromkeys([key for key in TRICKY if key != "<<"], "x")})
@settings(max_examples=120, deadline=None)
@pytest.mark.parametrize("loader", [yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)])
def test_every_yaml_reader_sees_the_same_texts(loader, values):
    head = dump(values.items(), "").decode().split("---\n")[1]
    assert yaml.load(head, loader) == (values or None)


YAML_LINES = st.lists(
    st.one_of(
        st.builds("{}: {}\n".format, keys, texts),
        st.builds('{}: "{}"\n'.format, keys, texts),
        st.builds("{}: [{}]\n".format, keys, texts),
        st.builds("{}: {{{}: {}}}\n".format, keys, texts, texts),
        st.sampled_from(
            ["# c\n", "\n", "a: b # c\n", "--- \n", "- a\n", "  a: b\n", "a:\n", "a: b\r\n"]
        ),
        st.text("ab: \n#\"[]{},-\\'|>&*!%", max_size=12),
    ),
    max_size=4,
).map("".join)


@given(YAML_LINES, bodies)
@settings(max_examples=500, deadline=None)
def test_the_fast_reader_never_disagrees_with_the_strict_one(head, text):
    whole = f"---\n{head}---\n\n{text}"
    fast = _load_canonical(whole)
    if fast is not None:
        assert fast == load_strictly(whole.encode(), FILE)


FILES = st.one_of(
    st.binary(max_size=200),
    st.binary(max_size=100).map(lambda data: b"---\n" + data),
    st.binary(max_size=100).map(lambda data: b"---\n" + data + b"\n---\n\nx\n"),
    st.text('-: ab\n"[]{}\\#,', max_size=40).map(str.encode),
    st.text('-: ab\n"[]{}\\#,', max_size=40).map(lambda text: f"---\n{text}\n---\n".encode()),
)


@given(FILES)
@settings(max_examples=300, deadline=None)
def test_any_bytes_at_all_are_read_or_refused_by_name(data):
    try:
        load(data, FILE)
    except BrokenFile as problem:
        named = problem.facts["file"]
    else:
        named = FILE
    assert named == FILE


@given(headers, bodies, keys, values)
@settings(max_examples=150, deadline=None)
def test_splicing_adds_its_lines_and_nothing_else(present, text, key, value):
    present.pop(key, None)
    data = dump(present.items(), text)
    spliced = splice(data, [(key, value)], FILE)
    assert load(spliced, FILE) == Header(present | {key: value}, text)
    at = len(dump(present.items(), "")) - len(b"---\n")
    added = len(spliced) - len(data)
    assert spliced[:at] + spliced[at + added :] == data
    assert spliced[at : at + added].count(b"\n") == 1
    assert set_keys(spliced, {key: None}, FILE) == data


# The core schema of YAML 1.2.2, section 10.3.2.
CORE_SCHEMA = re.compile(
    r"null|Null|NULL|~|true|True|TRUE|false|False|FALSE|[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"
    r"|[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)


@given(texts)
@settings(max_examples=200, deadline=None)
def test_no_plain_text_is_a_number_boolean_or_null_in_yaml_1_2(text):
    written = header_line("a", text).removeprefix("a: ").removesuffix("\n")
    assert written.startswith('"') or not CORE_SCHEMA.fullmatch(written)


COMMENTED = st.lists(
    st.sampled_from(
        [
            "# a comment\n", "\n", "k1: v # behind\n", "k2: |\n  block\n   more\n\n",
            "k3:\n  - a\n  - b # two\n", "k4: [a,\n  b]\n", "k5:\n", 'k6: "a\n  b"\n',
            "k7: a\n  b\n",
            "k8: {a: b}  \n", "'k9': >-\n  folded\n\n  text\n", "k\u00e9: \U0001f389\n",
        ]
    ),
    unique=True,
    max_size=8,
)  # fmt: skip


@given(
    COMMENTED,
    st.sampled_from([f"k{n}" for n in range(1, 10)]),
    texts,
    st.sampled_from(["\n", "\r\n"]),
)
@settings(max_examples=200, deadline=None)
def test_setting_a_key_leaves_every_other_line_alone(lines, key, value, newline):
    head = "".join(lines)
    data = ("\ufeff---\n" + head + "---\n\ntext\n").replace("\n", newline).encode()
    before = load(data, FILE)
    changed = set_keys(data, {key: value}, FILE)
    after = load(changed, FILE)
    assert after.values == before.values | {key: value}
    assert list(after.values) == list(before.values) + [key] * (key not in before.values)
    assert after.text == before.text
    assert changed.count(b"\n") == changed.count(newline.encode())
    for line in lines:
        if key not in line:
            assert line.replace("\n", newline).encode() in changed
    for comment in ("# behind", "# two", "# a comment"):
        if comment in head and not (comment == "# two" and key == "k3"):
            assert comment.encode() in changed
    removed = set_keys(changed, {key: None}, FILE)
    assert load(removed, FILE).values == {k: v for k, v in before.values.items() if k != key}


@given(st.datetimes(timezones=st.just(UTC)), st.booleans(), st.integers(0, 10**12))
@settings(max_examples=100, deadline=None)
def test_times_booleans_and_numbers_are_plain_and_typed_for_other_readers(moment, truth, number):
    data = dump([("t", moment), ("b", truth), ("n", number)], "")
    seen = yaml.safe_load(data.decode().split("---\n")[1])
    assert seen == {"t": moment, "b": truth, "n": number}
    assert isinstance(seen["t"], datetime)


@pytest.mark.parametrize("key", ["", "A", "a b", "a-b", "9", "a:", "a\nb", "from\u00e9"])
def test_a_key_that_needs_quotes_is_never_written(key):
    with pytest.raises(ValueError, match="not a key"):
        dump([(key, "x")], "")


def test_a_lone_surrogate_is_refused_when_written():
    with pytest.raises(ValueError, match="surrogate"):
        dump([("a", "\ud800")], "")
    with pytest.raises(ValueError, match="surrogates"):
        dump([("a", "b")], "\ud800")
