"""What counts as a path and what as a thing."""

from __future__ import annotations

import pytest

from gitmail.errors import InvalidInput
from gitmail.values.reservation import TTL_LIMIT, check_ttl
from gitmail.values.targets import split_targets


@pytest.mark.parametrize(
    ("targets", "paths", "names"),
    [
        (["src/**"], ("src/**",), ()),
        (["build"], ("build",), ()),
        (["name:build"], (), ("build",)),
        (["port:8080", "PORT:8080"], (), ("port:8080",)),
        (["/port:8080"], ("/port:8080",), ()),
        (["src/a:b"], ("src/a:b",), ()),
        (["docs/", "docs/", "db:staging"], ("docs/",), ("db:staging",)),
    ],
)
def test_a_word_and_a_colon_make_a_thing_and_all_else_is_a_path(
    targets: list[str], paths: tuple[str, ...], names: tuple[str, ...]
) -> None:
    assert split_targets(targets) == (paths, names)


@pytest.mark.parametrize(
    "target", ["name:", "port: 80", "C:/src", "http://x", "name:a\nb", "x:" + "y" * 100]
)
def test_a_thing_with_an_odd_name_is_refused_by_name(target: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        split_targets([target])
    assert caught.value.code == "invalid_paths"
    assert caught.value.facts["path"] == target


@pytest.mark.parametrize("targets", [[], ["a"] * 51])
def test_no_target_and_too_many_are_refused(targets: list[str]) -> None:
    with pytest.raises(InvalidInput):
        split_targets(targets)


@pytest.mark.parametrize("seconds", [0, -1, TTL_LIMIT + 1, True])
def test_a_lifetime_out_of_bounds_is_refused(seconds: int) -> None:
    with pytest.raises(InvalidInput) as caught:
        check_ttl(seconds)
    assert caught.value.code == "invalid_ttl_seconds"
