"""The values of an agent (or a person): the profile that agents/NAME.md holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Agent:
    """One mailbox owner. `person` is true for people; `notes` is the file's free text.

    The park (contracts: the board) is kept as the header's own keys; all are None without one.
    """

    id: str
    name: str
    registered_at: datetime
    person: bool = False
    label: str | None = None
    program: str | None = None
    model: str | None = None
    project: str | None = None
    task: str | None = None
    status: str | None = None
    status_at: datetime | None = None
    expect: int | None = None
    park_reason: str | None = None
    park_needs: str | None = None
    park_clear_by: str | None = None
    park_resume: str | None = None
    park_expires: datetime | None = None
    contact_policy: str | None = None
    contacts: tuple[str, ...] = ()
    retired_at: datetime | None = None
    notes: str = ""
