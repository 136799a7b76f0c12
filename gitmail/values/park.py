"""The board: what an agent says of itself, and the park it sets when it stops.

A park says why an agent stopped and what would set it going again; who may ring a parked agent
follows from it (gitmail/values/wake.py). It is kept as the `park_*` keys of agents/NAME.md.
Rules: contract, the board: memory_agents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn

from gitmail.errors import InvalidInput
from gitmail.values.agent import Agent
from gitmail.values.ids import is_id_or_prefix
from gitmail.values.lookalikes import reads_as_authority
from gitmail.values.names import fold, name_problem
from gitmail.values.text import check_line, line_problem
from gitmail.values.times import format_time, read_time

PARK_REASONS = ("done", "blocked", "needs_approval", "needs_info", "needs_resource", "waiting_peer")
CLEARERS = ("maintainer", "anyone")
PARK_DEFAULT = timedelta(hours=12)
PARK_LONGEST = timedelta(days=7)
EXPECT_LONGEST = timedelta(days=7)

_PARK_FIELDS = ("park_reason", "park_needs", "park_clear_by", "park_resume", "park_expires")
_PARK_LIMITS = {"park_needs": 120, "park_clear_by": 120, "park_resume": 240}
_PROFILE_FIELDS = (("label", "label"), ("name", "label"), ("project", "project"), ("task", "task"))
_PROFILE_LIMITS = {"label": 120, "project": 120, "task": 240, "status": 240}


@dataclass(frozen=True, slots=True)
class Park:
    """A live park: why the agent stopped, what it needs, who may clear it, how it goes on."""

    reason: str
    expires: datetime
    needs: str | None = None
    clear_by: str | None = None
    resume: str | None = None


@dataclass(frozen=True, slots=True)
class BoardUpdate:
    """What one `memory_agents update` gives; None = not given, "" = take the field away.

    `name` and `label` both set the display name; the address never changes. `expect` is in seconds.
    `park_expires` is a time in ISO 8601 or in seconds since 1970; `park_reason` of "" ends the park
    without a new status.
    """

    name: str | None = None
    label: str | None = None
    project: str | None = None
    task: str | None = None
    status: str | None = None
    expect: int | None = None
    park_reason: str | None = None
    park_needs: str | None = None
    park_clear_by: str | None = None
    park_resume: str | None = None
    park_expires: str | int | float | None = None

    def parks(self) -> dict[str, Any]:
        """Return the park fields that are given."""
        pairs = {name: getattr(self, name) for name in _PARK_FIELDS}
        return {name: value for name, value in pairs.items() if value is not None}


def park_of(agent: Agent, now: datetime) -> Park | None:
    """Return the agent's park if it has one that has not lapsed; a lapsed park is no park."""
    if agent.park_reason is None or agent.park_expires is None or agent.park_expires <= now:
        return None
    return Park(
        reason=agent.park_reason,
        expires=agent.park_expires,
        needs=agent.park_needs,
        clear_by=agent.park_clear_by,
        resume=agent.park_resume,
    )


def status_overdue(agent: Agent, now: datetime) -> bool:
    """Tell whether the status has stood longer than the agent expected."""
    if agent.status is None or agent.status_at is None or agent.expect is None:
        return False
    return agent.status_at + timedelta(seconds=agent.expect) <= now


def apply_update(agent: Agent, update: BoardUpdate, now: datetime) -> Agent:
    """Return the agent as it is after `update`; an invalid field applies nothing.

    A status without park fields ends the park (also a lapsed one). Park fields over a live park
    refine it: what is not given stays, the expiry too. Over none, or a lapsed one, `park_reason` is
    needed and a new park begins from nothing. Raises InvalidInput `invalid_park` with the accepted
    values, else `invalid_<argument>`.
    """
    changes = _profile_changes(update) | _status_changes(agent, update, now)
    if update.parks():
        changes |= _park_changes(agent, update, now)
    elif update.status is not None:
        changes |= dict.fromkeys(_PARK_FIELDS)
    return replace(agent, **changes)


def _profile_changes(update: BoardUpdate) -> dict[str, Any]:
    """Check and return the fields that are neither status nor park."""
    changes: dict[str, Any] = {}
    for argument, target in _PROFILE_FIELDS:
        value = getattr(update, argument)
        if value is not None:
            changes[target] = _line(value, argument, _PROFILE_LIMITS[target])
    if update.name and update.label and update.name != update.label:
        _refuse("name", "name and label both set the display name", "Give one of the two.")
    for argument, shown in (("name", update.name), ("label", update.label)):
        authority = reads_as_authority(shown or "")
        if authority is not None:
            _refuse(argument, f"{argument} reads like {authority!r}", "Choose another name.")
    return changes


def _status_changes(agent: Agent, update: BoardUpdate, now: datetime) -> dict[str, Any]:
    """Check and return status, its time and when it is due; `expect` alone restates the status."""
    if update.expect is not None:
        longest = int(EXPECT_LONGEST.total_seconds())
        if isinstance(update.expect, bool) or not 1 <= update.expect <= longest:
            _refuse("expect", f"expect is not within 1..{longest} seconds", "Give whole seconds.")
        if not (agent.status if update.status is None else update.status):
            _refuse("expect", "there is no status to expect the end of", "Give a status too.")
        if update.status is None:
            return {"expect": update.expect, "status_at": now}
    if update.status is None:
        return {}
    status = _line(update.status, "status", _PROFILE_LIMITS["status"])
    return {"status": status, "status_at": now if status else None, "expect": update.expect}


def _park_changes(agent: Agent, update: BoardUpdate, now: datetime) -> dict[str, Any]:
    """Return the park's keys after an update that gives at least one of them."""
    given = update.parks()
    if given.get("park_reason") == "":
        if len(given) > 1:
            _refuse_park(
                "park_reason",
                "an empty park_reason ends the park, so no other park field can be given",
                "Leave the other park fields out, or give a reason.",
            )
        return dict.fromkeys(_PARK_FIELDS)
    checked = {name: _park_field(name, value, now) for name, value in given.items()}
    if park_of(agent, now) is not None:
        return checked
    if "park_reason" not in checked:
        _refuse_park(
            "park_reason",
            "there is no live park to refine",
            "Begin a park with park_reason; a lapsed one cannot be refined.",
        )
    nothing: dict[str, Any] = dict.fromkeys(_PARK_FIELDS)
    return nothing | {"park_expires": now + PARK_DEFAULT} | checked


def _park_field(name: str, value: Any, now: datetime) -> Any:
    """Check one given park field and return it as the header keeps it."""
    if name == "park_expires":
        return _expiry(value, now)
    if name == "park_reason":
        if value not in PARK_REASONS:
            problem = f"{str(value)[:40]!r} is not a reason to park"
            _refuse_park(name, problem, "Choose one of the accepted reasons.")
        return value
    if value == "":
        return None
    limit = _PARK_LIMITS[name]
    wrong = line_problem(value, limit)
    if wrong is not None:
        accepted = [f"one line of 1 to {limit} characters"]
        _refuse_park(name, f"it {wrong}", f"Write {accepted[0]}.", accepted)
    return _clearer(value) if name == "park_clear_by" else value


def _clearer(value: str) -> str:
    """Return who may clear a park: `maintainer`, `anyone`, or an agent by name or id."""
    if fold(value) in CLEARERS:
        return fold(value)
    if is_id_or_prefix(value):
        return value.lower()
    problem = name_problem(value)
    if problem is not None:
        _refuse_park(
            "park_clear_by",
            f"the name {value[:80]!r} {problem}",
            "Name one agent, or write maintainer or anyone.",
            [*CLEARERS, "an agent's name or id"],
        )
    return value


def _expiry(value: str | int | float, now: datetime) -> datetime:
    """Return a park's end: later than now and at most 7 days away."""
    expires = _moment(value)
    if expires is None or not now < expires <= now + PARK_LONGEST:
        _refuse_park(
            "park_expires",
            "it is not a time within the next 7 days",
            "Give a time in ISO 8601 or in seconds since 1970, or leave it out for 12 hours.",
            [f"after {format_time(now)}", f"until {format_time(now + PARK_LONGEST)}"],
        )
    return expires


def _moment(value: str | int | float) -> datetime | None:
    """Read a time in ISO 8601 or seconds since 1970; None for anything else."""
    try:
        if isinstance(value, str):
            return read_time(value)
        return None if isinstance(value, bool) else datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _line(value: str, argument: str, limit: int) -> str | None:
    """Return a one-line field, None for an empty one."""
    return None if value == "" else check_line(value, argument, limit)


def _refuse(argument: str, problem: str, hint: str) -> NoReturn:
    raise InvalidInput(f"invalid_{argument}", f"{problem}.", hint, argument=argument)


def _refuse_park(
    argument: str, problem: str, hint: str, accepted: Sequence[str] = PARK_REASONS
) -> NoReturn:
    raise InvalidInput(
        "invalid_park",
        f"{argument}: {problem}; nothing was applied.",
        hint,
        argument=argument,
        accepted=list(accepted),
    )
