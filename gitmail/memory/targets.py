"""Which notes a call means: the one resolver of memory_consolidate and memory_supersede.

Rules (contract: memory_consolidate). Exactly one selector. Every target is looked up before
anything is decided; one bad target refuses them all, with the first one's reason as the code and
all of them in `target_errors`. A number means that note and never its successor. A text means the
one live note with exactly that text: no folding, no trimming, no normalising, no similarity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from gitmail.errors import GitmailError, InvalidInput, NotFound, Refused
from gitmail.values.memory import NUMBER_LIMIT, Memory
from gitmail.values.text import is_unicode, subject_from_text

INVALID_SELECTOR = "invalid_selector"
EMPTY_INPUT = "empty_input"
TARGET_NOT_FOUND = "target_not_found"
TARGET_SUPERSEDED = "target_superseded"
AMBIGUOUS_TARGET = "ambiguous_target"

SEARCH_AGAIN = "Nothing was changed. Search again and resubmit the ids that memory_search shows."

Target = int | str


class Note(Protocol):
    """A note as the index shows it; `live` is false once it is superseded."""

    @property
    def memory(self) -> Memory:
        """The note's values."""
        ...

    @property
    def live(self) -> bool:
        """Whether the note lies outside memories/superseded/."""
        ...


NoteT = TypeVar("NoteT", bound=Note)


@dataclass(frozen=True, slots=True)
class TargetError:
    """Why one target cannot be replaced.

    `candidates` are the numbers of the live notes that share an ambiguous text; `superseded_by`
    is the number that took a retired note's place, where one is known.
    """

    target: Target
    error: str
    candidates: tuple[int, ...] = ()
    superseded_by: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return one entry of `target_errors`: target, error and what is known beside."""
        shape: dict[str, Any] = {"target": self.target, "error": self.error}
        if self.candidates:
            shape["candidates"] = list(self.candidates)
        if self.superseded_by is not None:
            shape["superseded_by"] = self.superseded_by
        return shape


def select(
    numbers: Any,
    texts: Any,
    names: tuple[str, str] = ("entry_ids", "replaces"),
) -> tuple[Target, ...]:
    """Return the targets that the caller's two selectors name, each once, in the order given.

    `numbers` and `texts` are the arguments as they came (None means not given); `names` is what
    the tool calls them. Raises InvalidInput `invalid_selector` for both, neither, or an element
    that is not a positive integer or a text, and `empty_input` for an empty list.
    """
    if (numbers is None) == (texts is None):
        given = "Neither" if numbers is None else "Both"
        raise refusal(
            INVALID_SELECTOR,
            f"{given} of {names[0]} and {names[1]} given; exactly one says what is replaced.",
            f"Give {names[0]} with the ids that memory_search shows.",
        )
    chosen, name = (texts, names[1]) if numbers is None else (numbers, names[0])
    if not isinstance(chosen, list | tuple):
        raise refusal(
            INVALID_SELECTOR,
            f"{name} is not a list.",
            f"Give {name} as a list, also for one target.",
        )
    if not chosen:
        raise refusal(
            EMPTY_INPUT,
            f"{name} is an empty list, so there is nothing to replace.",
            "Name at least one target.",
        )
    wanted = _check_text if numbers is None else _check_number
    return tuple(dict.fromkeys(wanted(element, name) for element in chosen))


def select_one(
    number: Any,
    text: Any,
    names: tuple[str, str] = ("entry_id", "old_text"),
) -> tuple[Target, ...]:
    """Do what `select` does for a tool whose selectors name a single note."""
    numbers = None if number is None else [number]
    return select(numbers, None if text is None else [text], names)


def resolve(
    targets: Sequence[Target],
    by_number: Callable[[int], NoteT | None],
    by_text: Callable[[str], Sequence[NoteT]],
) -> tuple[NoteT, ...]:
    """Return the live notes that `targets` mean, each once, in the order of first mention.

    `by_number` and `by_text` ask the index for the live or retired note of a number, and for all
    notes with exactly a text, by number. Raises NotFound `target_not_found`, or Refused
    `target_superseded` or `ambiguous_target`: the reason of the first bad target, and all of them
    in `target_errors`.
    """
    found: dict[int, NoteT] = {}
    errors: list[TargetError] = []
    for target in dict.fromkeys(targets):
        if isinstance(target, str):
            answer = _with_text(target, by_text)
        else:
            answer = _numbered(target, by_number)
        if isinstance(answer, TargetError):
            errors.append(answer)
        else:
            found.setdefault(answer.memory.number, answer)
    if errors:
        raise _refuse(errors, len(errors) + len(found))
    return tuple(found.values())


def refusal(
    reason: str, message: str, hint: str, errors: Sequence[TargetError] = ()
) -> GitmailError:
    """Return the error of a refused replacement, with the facts the contract asks of each one."""
    kinds: dict[str, type[GitmailError]] = {
        INVALID_SELECTOR: InvalidInput,
        EMPTY_INPUT: InvalidInput,
        TARGET_NOT_FOUND: NotFound,
    }
    return kinds.get(reason, Refused)(reason, message, hint, **_facts(reason, errors))


def refused(error: GitmailError) -> GitmailError:
    """Return `error` with the facts of a refused replacement, those it has kept."""
    error.facts = {**_facts(error.code), **error.facts}
    return error


def _facts(reason: str, errors: Sequence[TargetError] = ()) -> dict[str, Any]:
    return {
        "reason": reason,
        "superseded_count": 0,
        "superseded_texts": [],
        "superseded_ids": [],
        "new_memory_stored": False,
        "target_errors": [error.as_dict() for error in errors],
    }


def _check_number(element: Any, name: str) -> Target:
    if type(element) is not int or element < 1:
        raise refusal(
            INVALID_SELECTOR,
            f"{name} holds {_shown(element)}, which is not a positive integer.",
            f"Give {name} as integers, for instance [3, 7].",
        )
    return element


def _check_text(element: Any, name: str) -> Target:
    if not isinstance(element, str):
        raise refusal(
            INVALID_SELECTOR,
            f"{name} holds {_shown(element)}, which is not a text.",
            f"Give {name} as the exact stored texts, or select by id.",
        )
    return element


def _numbered(number: int, by_number: Callable[[int], NoteT | None]) -> NoteT | TargetError:
    note = by_number(number) if number <= NUMBER_LIMIT else None
    if note is None:
        return TargetError(number, TARGET_NOT_FOUND)
    if not note.live:
        return TargetError(number, TARGET_SUPERSEDED, superseded_by=note.memory.superseded_by)
    return note


def _with_text(text: str, by_text: Callable[[str], Sequence[NoteT]]) -> NoteT | TargetError:
    twins = by_text(text) if is_unicode(text) else ()
    live = [note for note in twins if note.live]
    if len(live) == 1:
        return live[0]
    if live:
        return TargetError(text, AMBIGUOUS_TARGET, tuple(note.memory.number for note in live))
    if twins:
        newest = max((note.memory for note in twins), key=lambda memory: memory.number)
        return TargetError(text, TARGET_SUPERSEDED, superseded_by=newest.superseded_by)
    return TargetError(text, TARGET_NOT_FOUND)


def _refuse(errors: Sequence[TargetError], asked: int) -> GitmailError:
    first = errors[0]
    what = f"note {first.target}" if isinstance(first.target, int) else _shown(first.target)
    said = {
        TARGET_NOT_FOUND: f"there is no live note {_named(first.target)}",
        TARGET_SUPERSEDED: f"{what} has been superseded{_by(first)}",
        AMBIGUOUS_TARGET: f"{what} is the text of several live notes: {_list(first.candidates)}",
    }[first.error]
    others = f" ({len(errors)} of {asked} targets cannot be used)" if asked > 1 else ""
    return refusal(first.error, f"Nothing was replaced: {said}{others}.", SEARCH_AGAIN, errors)


def _named(target: Target) -> str:
    return str(target) if isinstance(target, int) else f"with the text {_shown(target)}"


def _by(error: TargetError) -> str:
    return "" if error.superseded_by is None else f" by {error.superseded_by}"


def _list(numbers: Sequence[int]) -> str:
    return ", ".join(str(number) for number in numbers)


def _shown(element: Any) -> str:
    if isinstance(element, str):
        return f'"{subject_from_text(element)}"'
    text = repr(element)
    return text if len(text) <= 40 else f"{text[:39]}…"
