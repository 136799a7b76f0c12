"""JSON with comments: read strictly, changed without touching any other byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmail_hooks.setup import splice
from gitmail_hooks.setup.jsonc import JsoncError, parse


def value_of(text: str) -> Any:
    node = parse(text)
    assert node is not None
    return node.value()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        ('{"a": 1, "b": [true, null, -1.5e3,], }', {"a": 1, "b": [True, None, -1500.0]}),
        ('// top\n{"a" /* x */ : /* y */ "z" // end\n} // after', {"a": "z"}),
        ('{"url": "http://x/*y*/", "s": "a\\"//b"}', {"url": "http://x/*y*/", "s": 'a"//b'}),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ('["\\u00e9é"]', ["éé"]),
        ('{"a":{}}\r\n', {"a": {}}),
    ],
)
def test_comments_and_trailing_commas_are_understood(text: str, value: Any) -> None:
    assert value_of(text) == value


def test_a_text_of_comments_only_holds_no_value() -> None:
    assert parse(" // nothing\n/* here */\n") is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"a": 1\n"b": 2}', 2),
        ("{'a': 1}", 1),
        ("{a: 1}", 1),
        ('{"a"\n 1}', 2),
        ('{"a": }', 1),
        ('{"a": 1}}', 1),
        ('{"a": "x\ny"}', 1),
        ('{"a": NaN}', 1),
        ('{"a": 01}', 1),
        ('{"a": yes}', 1),
        ('{"a": "\\q"}', 1),
        ("{\n\n/* open\n", 3),
        ("{,}", 1),
        ("[1,,2]", 1),
        ("[" * 200 + "]" * 200, 1),
        ('{"a": 1\n\n<<<<<<< mine', 3),
    ],
)
def test_anything_else_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(JsoncError) as caught:
        parse(text)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}\n", '{\n  "s": {\n    "g": 1\n  }\n}\n'),
        ("{\n}\n", '{\n  "s": {\n    "g": 1\n  }\n}\n'),
        ('{"s": {}}', '{"s": {\n  "g": 1\n}}'),
        ('{"s": {"x": 0}}', '{"s": {"x": 0,\n  "g": 1\n}}'),
        (
            '{\n\t"s": {\n\t\t"x": 0 // keep\n\t}\n}\n',
            '{\n\t"s": {\n\t\t"x": 0, // keep\n\t\t"g": 1\n\t}\n}\n',
        ),
        (
            '{\n    "s": {\n        "x": 0,\n        // "y": 1,\n    },\n}\n',
            '{\n    "s": {\n        "x": 0,\n        // "y": 1,\n        "g": 1\n    },\n}\n',
        ),
        ('{\r\n  "a": 1\r\n}\r\n', '{\r\n  "a": 1,\r\n  "s": {\r\n    "g": 1\r\n  }\r\n}\r\n'),
        ("{ /* none */ }", '{ /* none */\n  "s": {\n    "g": 1\n  }\n }'),
        ("{ // none\n}", '{ // none\n  "s": {\n    "g": 1\n  }\n}'),
        ('{"s": {"x": [1, 2] /* } */, /* , */ }}', None),
    ],
)
def test_a_member_is_added_last_laid_out_like_its_neighbours(
    before: str, after: str | None
) -> None:
    result = splice.set_member(before, ("s", "g"), 1)
    if after is not None:
        assert result == after
    assert value_of(result)["s"]["g"] == 1


def test_a_value_is_replaced_in_place_and_an_equal_one_left_alone() -> None:
    text = '{\n  "a": {"g": [1,   2] /* c */},\n  "b": 2\n}'
    assert splice.set_member(text, ("a", "g"), [1, 2]) == text
    changed = splice.set_member(text, ("a", "g"), "x")
    assert changed == '{\n  "a": {"g": "x" /* c */},\n  "b": 2\n}'


@pytest.mark.parametrize("before", ['{"s": []}', '{"s": 1}', "[]", '"text"', '{"s": null}'])
def test_a_path_through_something_else_is_refused(before: str) -> None:
    with pytest.raises(JsoncError, match="is not an object"):
        splice.set_member(before, ("s", "g"), 1)


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        ('{"g": 1}', ("g",), "{}"),
        ('{"a": 0, "g": 1}', ("g",), '{"a": 0 }'),
        ('{"g": 1, "a": 0}', ("g",), '{ "a": 0}'),
        ('{\n  "a": 0,\n  "g": 1\n}', ("g",), '{\n  "a": 0\n}'),
        ('{\n  "g": 1,\n  "a": 0\n}', ("g",), '{\n  "a": 0\n}'),
        ('{\n  "a": 0, // a\n  "g": 1, // g\n}', ("g",), '{\n  "a": 0, // a\n   // g\n}'),
        ('{ // c\n"g": 1}', ("g",), "{ // c\n}"),
        ("[1, 2, 3]", (1,), "[1,  3]"),
        ("[\n  1, // one\n  2\n]", (1,), "[\n  1 // one\n]"),
        ('{"g": 1, "g": 2}', ("g",), '{"g": 1 }'),
    ],
)
def test_an_entry_goes_with_its_comma_and_comments_stay(
    before: str, path: splice.Path, after: str
) -> None:
    assert splice.remove(before, path) == after


BLANKS = st.sampled_from(["", " ", "\n", "\n  ", " // c\n", "/* , } ] */", "\r\n\t"])
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-99, 99), st.sampled_from(["", "a/b", '"//', "é}"])
)


@st.composite
def written(draw: st.DrawFn, depth: int = 0) -> str:
    """A JSON value as an untidy person would lay it out."""
    kind = draw(st.sampled_from(["scalar", "object", "array"] if depth < 3 else ["scalar"]))
    if kind == "scalar":
        return json.dumps(draw(SCALARS), ensure_ascii=False)
    parts: list[str] = []
    keys = draw(st.lists(st.sampled_from("abcdef"), max_size=3, unique=True))
    for key in keys:
        entry = draw(written(depth + 1))
        label = f'"{key}"{draw(BLANKS)}:{draw(BLANKS)}' if kind == "object" else ""
        parts.append(draw(BLANKS) + label + entry + draw(BLANKS))
    body = ",".join(parts)
    if parts and draw(st.booleans()):
        body += ","
    opening, closing = "{}" if kind == "object" else "[]"
    return opening + body + draw(BLANKS) + closing


KEYS = st.sampled_from(["one", "two", "three"])


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A file whose value is an object."""
    members = [f'"{key}":{draw(written())}{draw(BLANKS)}' for key in draw(st.sets(KEYS))]
    tail = "," if members and draw(st.booleans()) else ""
    return draw(BLANKS) + "{" + draw(BLANKS) + ",".join(members) + tail + draw(BLANKS) + "}\n"


def is_subsequence(short: str, long: str) -> bool:
    rest = iter(long)
    return all(character in rest for character in short)


@settings(max_examples=400, deadline=None)
@given(documents(), st.sampled_from([("new",), ("new", "g")]))
def test_adding_only_inserts_and_taking_out_gives_the_same_values(
    text: str, path: splice.Path
) -> None:
    value = {"command": "gitmail", "args": ["serve", "é"]}
    before = value_of(text)
    after = splice.set_member(text, path, value)
    expected = before | {"new": value if path == ("new",) else {"g": value}}
    assert value_of(after) == expected
    assert is_subsequence(text, after)
    assert splice.set_member(after, path, value) == after
    assert value_of(splice.remove(after, ("new",))) == before


@settings(max_examples=300, deadline=None)
@given(written(), written())
def test_an_item_is_appended_to_any_array(array: str, other: str) -> None:
    text = f'{{"x": {other}, "list": {array}}}'
    before = value_of(text)
    if not isinstance(before["list"], list):
        return
    after = splice.append_item(text, ("list",), {"n": 1})
    assert value_of(after) == before | {"list": [*before["list"], {"n": 1}]}
    assert is_subsequence(text, after)
    assert value_of(splice.remove(after, ("list", len(before["list"])))) == before
