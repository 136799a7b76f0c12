"""Names of agents and people: what is allowed, what counts as the same, where new ones come from.

A name is an ASCII word, is unique without regard to case or Unicode form, can never be taken for
the prefix of an id, and never reads like one of the words the store keeps for itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from gitmail.errors import InvalidInput
from gitmail.values.words import ADJECTIVES, NOUNS

NAME_LIMIT = 64
RESERVED_NAMES = frozenset({"all", "project", "maintainer", "daemon", "retired"})
EMAIL_DOMAIN = "gitmail.invalid"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_ID_LIKE = re.compile(r"[0-9A-Fa-f]{8,32}")
_WINDOWS = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
_DROPPED = re.compile(r"[^A-Za-z0-9._-]")
_LOOK_ALIKE = str.maketrans("0134578i", "oleastbl", "._-")


def fold(name: str) -> str:
    """Return the form under which two spellings count as one name: NFKC, case folded."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _skeleton(name: str) -> str:
    return fold(name).translate(_LOOK_ALIKE).replace("rn", "m").replace("vv", "w")


_RESERVED_SKELETONS = {_skeleton(name): name for name in RESERVED_NAMES}


@lru_cache(maxsize=4096)
def name_problem(text: str) -> str | None:
    """Say in half a sentence why `text` cannot be an agent's name; None when it can."""
    if not _NAME.fullmatch(text):
        return "is not 1 to 64 of A-Z a-z 0-9 . _ -, beginning with a letter or digit"
    if _ID_LIKE.fullmatch(text):
        return "would read as the prefix of an id (8 to 32 hex digits)"
    if text.endswith("."):
        return "ends with a dot, which some file systems drop"
    if _WINDOWS.fullmatch(text):
        return "is a device name on Windows, where the store could not be cloned"
    reserved = _RESERVED_SKELETONS.get(_skeleton(text))
    if reserved is not None:
        return f"is or reads like {reserved!r}, which is reserved"
    return None


def check_agent_name(text: str, argument: str = "name") -> str:
    """Return `text` when it can be the name of an agent or person.

    Raises InvalidInput `invalid_<argument>` otherwise.
    """
    problem = name_problem(text)
    if problem is not None:
        raise InvalidInput(
            f"invalid_{argument}",
            f"The name {text[:80]!r} {problem}.",
            "Choose a name such as BlueLake.",
            argument=argument,
        )
    return text


def name_from_person(person: str, fallback: str = "Person") -> str:
    """Turn a person's own name (or a folder's) into a name by dropping what does not fit.

    Accents fall away and spaces close up: Pat Person gives PatPerson. What is left of a name that
    cannot stand alone (nothing, a reserved word, hex digits) is completed by `fallback`.
    """
    plain = unicodedata.normalize("NFKD", person)
    kept = _DROPPED.sub("", plain).lstrip("._-")
    kept = kept[: NAME_LIMIT - len(fallback)].rstrip("._-")
    if name_problem(kept) is None:
        return kept
    completed = kept.partition(".")[0] + fallback
    return completed if name_problem(completed) is None else fallback


def fresh_name(choice: Callable[[Sequence[str]], str]) -> str:
    """Make up a memorable name such as BlueLake; `choice` picks one word of a list."""
    return choice(ADJECTIVES) + choice(NOUNS)


def near_names(name: str, names: Iterable[str], limit: int = 3) -> list[str]:
    """Return up to `limit` of `names` that somebody who wrote `name` may have meant, best first."""
    import difflib

    wanted = fold(name)
    by_fold = {fold(known): known for known in names}
    found = difflib.get_close_matches(wanted, sorted(by_fold), n=limit, cutoff=0.6)
    if len(wanted) >= 3:
        found += sorted(key for key in by_fold if key not in found and wanted in key)
    return [by_fold[key] for key in found[:limit]]


def agent_email(name: str) -> str:
    """Return the address that stands beside an agent's name in commits; it receives nothing."""
    return f"{fold(name)}@{EMAIL_DOMAIN}"
