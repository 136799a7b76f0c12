"""What can be reserved: path patterns, and things that are no paths.

One rule tells them apart: a target that begins with a word and a colon (`port:8080`,
`name:build`) is a thing; everything else is a gitignore pattern. So a plain `build` is every file
or folder of that name, and a file that is really called `port:8080` is written `/port:8080`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gitmail.errors import InvalidInput
from gitmail.values.glob_syntax import parse
from gitmail.values.reservation import PLAIN_NAME, TARGETS_LIMIT

NAME_LIMIT = 100

_IS_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*:")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@+-]*")


def split_targets(targets: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the checked path patterns and the names of things among `targets`, each once.

    Raises InvalidInput `invalid_paths` (facts: `path`) for none, too many, or one that is neither.
    """
    if not 1 <= len(targets) <= TARGETS_LIMIT:
        raise InvalidInput(
            "invalid_paths",
            f"paths has {len(targets)} entries; 1 to {TARGETS_LIMIT} are possible.",
            "Reserve a folder or a pattern such as `src/auth/**` instead of many files.",
            limit=TARGETS_LIMIT,
        )
    paths: dict[str, None] = {}
    names: dict[str, str] = {}
    for target in targets:
        if _IS_NAME.match(target):
            name = _checked_name(target)
            names.setdefault(name_key(name), name)
        else:
            paths.setdefault(parse(target).text)
    return tuple(paths), tuple(names.values())


def name_key(name: str) -> str:
    """Return the form under which two spellings name the same thing."""
    return name.casefold()


def _checked_name(target: str) -> str:
    name = target.removeprefix(PLAIN_NAME).strip()
    if len(name) <= NAME_LIMIT and _NAME.fullmatch(name):
        return name
    raise InvalidInput(
        "invalid_paths",
        f"{target[:80]!r} is not the name of a thing.",
        "A thing is written like port:8080 or name:build; a path with a colon begins with `/`.",
        path=target,
    )
