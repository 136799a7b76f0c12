"""Profiles of agents and people as files: agents/NAME.md (docs/format.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from gitmail.format.edit import set_keys
from gitmail.format.fields import FieldReader
from gitmail.format.header import load
from gitmail.format.writing import Writable, dump
from gitmail.values.agent import Agent
from gitmail.values.paths import Kind, classify

REQUIRED_KEYS = ("id", "name", "registered_at")
AGENT_KEYS = tuple(field.name for field in fields(Agent) if field.name != "notes")
"""The header's keys in the order of the file."""

CONTACT_POLICIES = ("open", "contacts_only", "block_all")
LINE_LIMIT = 1000
"""Most characters of a one-line value whose own limit the caller has checked."""


def agent_to_bytes(agent: Agent) -> bytes:
    """Return the file of a profile; keys that are not set are left out.

    Raises BrokenFile (file `<agent>`) for a value that could not be read back.
    """
    pairs: list[tuple[str, Writable]] = []
    for key in AGENT_KEYS:
        value = getattr(agent, key)
        if key in REQUIRED_KEYS or (value is not None and value is not False and value != ()):
            pairs.append((key, value))
    data = dump(pairs, agent.notes)
    agent_from_bytes(data, "<agent>")
    return data


def agent_from_bytes(data: bytes, file: str) -> Agent:
    """Read the profile at the path `file`; below agents/, its name must be the file's.

    Raises BrokenFile naming file, line and key.
    """
    header = load(data, file)
    read = FieldReader(header.values, data, file)
    read.require(REQUIRED_KEYS)
    name = read.name("name")
    place = classify(file)
    if place.kind is Kind.AGENT and place.owner != name:
        read.fail("name", f"is {name!r}, but the file is named {place.file!r}")
    return Agent(
        id=read.id("id"),
        name=name,
        registered_at=read.needed_time("registered_at"),
        person=read.boolean("person"),
        label=read.line("label", LINE_LIMIT),
        program=read.line("program", LINE_LIMIT),
        model=read.line("model", LINE_LIMIT),
        project=read.line("project", LINE_LIMIT),
        task=read.line("task", LINE_LIMIT),
        status=read.line("status", LINE_LIMIT),
        status_at=read.time("status_at"),
        expect=read.integer("expect"),
        park_reason=read.line("park_reason", LINE_LIMIT),
        park_needs=read.line("park_needs", LINE_LIMIT),
        park_clear_by=read.line("park_clear_by", LINE_LIMIT),
        park_resume=read.line("park_resume", LINE_LIMIT),
        park_expires=read.time("park_expires"),
        contact_policy=read.optional_choice("contact_policy", CONTACT_POLICIES),
        contacts=read.names("contacts", may_be_empty=True),
        retired_at=read.time("retired_at"),
        notes=header.text,
    )


def update_agent(data: bytes, file: str, changes: Mapping[str, Writable | None]) -> bytes:
    """Return `data` with the keys of `changes` set, or taken out where the value is None.

    Comments, unknown keys and the notes stay byte for byte. Raises BrokenFile, also when the
    result could not be read back; ValueError for a key that no profile has or may not lose.
    """
    for key, value in changes.items():
        if key not in AGENT_KEYS or (value is None and key in REQUIRED_KEYS):
            raise ValueError(f"{key!r} of a profile cannot be set to {value!r}")
    updated = set_keys(data, changes, file, AGENT_KEYS)
    agent_from_bytes(updated, file)
    return updated
