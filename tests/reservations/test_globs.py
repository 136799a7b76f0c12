"""Patterns against two oracles: pathspec's reading of gitignore, and git itself."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from gitmail.errors import InvalidInput
from gitmail.reservations.globs import literal, matches, overlap, witness

NAMES = ("a", "b", "ab", "ba", "a.b", "aab", "*", "[a]", "a?")
PATHS = ["/".join(names) for depth in (1, 2, 3) for names in itertools.product(NAMES, repeat=depth)]

_part = st.sampled_from(["a", "b", ".", "*", "?", "[ab]", "[a-b.]", "[]a]", "\\*", "\\[", "\\?"])
_name = st.lists(_part, min_size=1, max_size=4).map("".join).filter(lambda name: "**" not in name)
_name = _name.filter(lambda name: name.strip(".") != "")
_git_part = _part | st.sampled_from(["[!a]", "[^b.]", "[[:alpha:]]", "[a\\]]", "[b-a]x"])


@st.composite
def patterns(draw: st.DrawFn, name: st.SearchStrategy[str] = _name) -> str:
    names = draw(st.lists(name | st.just("**"), min_size=1, max_size=4))
    text = draw(st.sampled_from(["", "/"])) + "/".join(names)
    return text + (draw(st.sampled_from(["", "/"])) if names[-1] != "**" else "")


def _by_pathspec(pattern: str, path: str) -> bool:
    return GitIgnoreSpec.from_lines([pattern]).match_file(path)


@settings(max_examples=150, deadline=None)
@given(patterns())
def test_a_pattern_covers_what_pathspec_says(pattern: str) -> None:
    spec = GitIgnoreSpec.from_lines([pattern])
    for path in PATHS:
        assert matches(pattern, path) == spec.match_file(path), path


@settings(max_examples=300, deadline=None)
@given(patterns(), patterns())
def test_patterns_overlap_exactly_when_a_path_is_covered_by_both(first: str, second: str) -> None:
    meeting = witness(first, second)
    assert overlap(second, first) is (meeting is not None)
    if meeting is not None:
        path = meeting.decode()
        assert matches(first, path)
        assert matches(second, path)
        if not {".", ".."} & set(path.split("/")):  # pathspec takes such parts away first
            assert _by_pathspec(first, path)
            assert _by_pathspec(second, path)
    else:
        one, two = GitIgnoreSpec.from_lines([first]), GitIgnoreSpec.from_lines([second])
        assert not [path for path in PATHS if one.match_file(path) and two.match_file(path)]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("oracle")
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    return top


def _ignored_by_git(top: Path, pattern: str, paths: list[str]) -> set[str]:
    (top / ".gitignore").write_text(pattern + "\n")
    answer = subprocess.run(
        ["git", "-C", str(top), "check-ignore", "--no-index", "-z", "--stdin"],
        input="\0".join(paths).encode(),
        capture_output=True,
        check=False,
    )
    assert answer.returncode in (0, 1), answer.stderr
    return {name.decode() for name in answer.stdout.split(b"\0") if name}


_git_name = st.lists(_git_part, min_size=1, max_size=3).map("".join)
_git_name = _git_name.filter(lambda name: "**" not in name and name.strip(".") != "")


@settings(max_examples=80, deadline=None)
@given(patterns(_git_name))
def test_a_pattern_covers_what_git_ignores(repository: Path, pattern: str) -> None:
    try:
        ours = {path for path in PATHS if matches(pattern, path)}
    except InvalidInput:
        ours = set()
    assert ours == _ignored_by_git(repository, pattern, PATHS)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("src/a.py", "src/**", True),
        ("lib/*.py", "*/x.py", True),
        ("lib/*.py", "*/x.js", False),
        ("src", "src/auth/login.py", True),
        ("src/", "src", True),
        ("/src", "src/auth", True),
        ("/src", "/srcs", False),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b/c", True),
        ("**/test", "src/test/**", True),
        ("[ab].py", "b.py", True),
        ("[!b].py", "b.py", True),  # at different depths: `a.py/b.py`
        ("/[!b].py", "/b.py", False),
        ("/?.py", "/ab.py", False),
        ("docs/*.md", "src/*.py", False),
        ("\\*.py", "\\[x].py", True),
        ("/\\*.py", "/x.py", False),
        ("**", "anything/at/all", True),
        ("*/", "/top.py", True),  # both cover `top.py/x`, were top.py a folder
        ("/é/*", "/é/a", True),
        ("/a b", "/a b   ", True),
        ("/a\\ ", "/a", False),
    ],
)
def test_two_patterns_overlap_as_people_expect(first: str, second: str, expected: bool) -> None:
    assert overlap(first, second) is expected
    assert overlap(second, first) is expected


@pytest.mark.parametrize(
    "pattern",
    ["", "  ", "/", "//", "!src", "#x", "a//b", "./src", "src/../x", "a/.", "[ab", "a\\",
     "src\\auth", "a/[b/c]", "a\nb", "a\x00", "[[:nope:]]", "[é]", "[b-a]", "\udcff", "x" * 513],
)  # fmt: skip
def test_a_pattern_that_could_match_nothing_is_refused_by_name(pattern: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        overlap("src/**", pattern)
    assert caught.value.code == "invalid_paths"
    assert caught.value.facts["path"] == pattern
    assert caught.value.hint


HOSTILE = [
    "*a" * 250 + "b",
    "*b" * 250 + "a",
    "**/" * 50 + "x",
    "**/*a*b*c/" * 40 + "x",
    "**/a/a/a/a/a/" * 30 + "x",
    "*[ab]*" * 80 + "c",
    "?*" * 250,
]


@pytest.mark.parametrize("pattern", HOSTILE)
@pytest.mark.timeout(20)
def test_hostile_patterns_are_answered_in_bounded_time(pattern: str) -> None:
    for other in HOSTILE:
        overlap(pattern, other)
    for path in ("a" * 4000, "a/" * 2000 + "y", "aabbcc/" * 500 + "y", "aabbcc/" * 500):
        matches(pattern, path)


@pytest.mark.parametrize(
    "path",
    [b"src/a.py", b"a b ", b"[x]*?.py", b"!x", b"#x", b"\xff\xfe", b"tab\tline\n", "é/ü".encode(),
     b"back\\slash", b" ", b"dir/"],
)  # fmt: skip
def test_the_literal_pattern_of_any_file_name_covers_it(path: bytes) -> None:
    pattern = literal(path)
    assert matches(pattern, path)
    assert not matches(pattern, b"other/" + path)


def test_a_folder_path_is_covered_when_something_below_it_can_be() -> None:
    assert matches("src/auth/*.py", "src/")
    assert matches("src/auth/*.py", b"src/auth/")
    assert not matches("/docs/**", "src/")
    assert matches("src/**", "src/" + "deep/" * 400)


@pytest.mark.parametrize("name", [b"src/a\nb/x.py", b"src/\xff.py", b"src/\n.py"])
def test_names_of_any_bytes_are_covered(name: bytes) -> None:
    assert matches("src/**", name)
    assert matches("*.py", name)
