"""Which reservation a caller means: by what it is about, or by its id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmail.errors import InvalidInput, NotFound
from gitmail.reservations.rules import same_agent
from gitmail.values.ids import distinguishing_prefixes, id_or_prefix, is_id_or_prefix
from gitmail.values.reservation import Reservation, target_of_name
from gitmail.values.targets import name_key, split_targets


def by_id(known: Iterable[Reservation], text: str) -> Reservation:
    """Return the one reservation whose id begins with `text` (8 to 32 hex digits).

    Raises InvalidInput `invalid_reservation_id`, `ambiguous_reservation_id`; NotFound
    `reservation_not_found`.
    """
    prefix = id_or_prefix(text, "reservation_id")
    found = [one for one in known if one.id.startswith(prefix)]
    if not found:
        raise _not_found(f"There is no reservation {prefix}.")
    if len(found) > 1:
        prefixes = distinguishing_prefixes([one.id for one in found])
        raise InvalidInput(
            "ambiguous_reservation_id",
            f"{prefix} is the beginning of {len(found)} ids; nothing was done.",
            f"Use one of: {', '.join(prefixes)}.",
            prefixes=prefixes,
        )
    return found[0]


def own(
    known: Sequence[Reservation], me: str, wanted: Sequence[str]
) -> dict[str, tuple[Reservation, set[str]]]:
    """Return by id which reservations `wanted` names, each with the targets that are meant of it.

    A target is compared as text and means every reservation of `me` that holds it; an id (of
    anybody's) means all of it. Nothing wanted means everything of `me`. Raises as `by_id`.
    """
    mine = [one for one in known if same_agent(one.holder, me)]
    found: dict[str, tuple[Reservation, set[str]]] = {}
    if not wanted:
        return {one.id: (one, set(one.targets)) for one in mine}
    for text in wanted:
        target = _as_target(text)
        holding = [one for one in mine if target in map(_key, one.targets)]
        if not holding and not is_id_or_prefix(text):
            raise _not_found(f"{me} has no reservation of {text[:80]!r}.")
        for one in holding or [by_id(known, text)]:
            _, targets = found.setdefault(one.id, (one, set()))
            targets.update(t for t in one.targets if not holding or _key(t) == target)
    return found


def _as_target(text: str) -> str:
    """Return the form in which targets are compared. Raises InvalidInput `invalid_paths`."""
    paths, names = split_targets([text])
    return _key((*paths, *map(target_of_name, names))[0])


def _key(target: str) -> str:
    paths, _ = split_targets([target])
    return target if paths else name_key(target)


def _not_found(message: str) -> NotFound:
    return NotFound(
        "reservation_not_found",
        message,
        "It may have run out; `gitmail reservations` lists what is held now.",
    )
