"""Profiles as files: canonical bytes, and changes that leave a person's notes alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmail.errors import BrokenFile
from gitmail.format.agents import AGENT_KEYS, agent_from_bytes, agent_to_bytes, update_agent
from gitmail.values.agent import Agent

FILE = "agents/BlueLake.md"
THEN = datetime(2026, 11, 30, 20, 1, 2, 123456, UTC)
AGENT = Agent(id="b" * 32, name="BlueLake", registered_at=THEN)
FULL = replace(
    AGENT,
    person=True,
    label="Blue",
    program="claude-code",
    model="1.10",
    project="shop",
    task="no",
    status="reviewing: auth",
    status_at=THEN,
    expect=600,
    park_reason="needs_info",
    park_needs="the schema",
    park_clear_by="anyone",
    park_resume="run the tests",
    park_expires=THEN,
    contact_policy="contacts_only",
    contacts=("RedFox", "OldOak"),
    retired_at=THEN,
    notes="Likes short letters.\n\n- and lists",
)
BYTES = b"""\
---
id: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
name: BlueLake
registered_at: 2026-11-30T20:01:02.123456+00:00
---
"""
EDITED = b"""\
---
# my agent
id: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
name: 'BlueLake'
registered_at: 2026-11-30T20:01:02Z  # roughly
colour: blue
task: >-
  a long
  task
# below
---

    notes, indented

---
"""


def test_a_new_profile_is_three_lines():
    assert agent_to_bytes(AGENT) == BYTES
    assert agent_from_bytes(BYTES, FILE) == AGENT


def test_every_key_and_the_notes_come_back():
    assert agent_from_bytes(agent_to_bytes(FULL), FILE) == FULL
    assert [
        line.split(b":")[0].decode() for line in agent_to_bytes(FULL).splitlines()[1:21]
    ] == list(AGENT_KEYS)


def test_a_change_touches_its_own_lines_only():
    updated = update_agent(
        EDITED, FILE, {"task": "short", "status": "007", "person": True, "contacts": ["RedFox"]}
    )
    expected = (
        EDITED.replace(b"task: >-\n  a long\n  task\n", b"task: short\n")
        .replace(b"# below\n", b'# below\nstatus: "007"\ncontacts: [RedFox]\n')
        .replace(b"colour: blue\n", b"colour: blue\nperson: true\n")
    )
    assert updated == expected
    assert agent_from_bytes(updated, FILE).notes == "    notes, indented\n\n---"


def test_none_takes_a_key_out_again():
    updated = update_agent(EDITED, FILE, {"task": None, "status": None})
    assert updated == EDITED.replace(b"task: >-\n  a long\n  task\n", b"")


def test_ten_changes_leave_one_header():
    data = EDITED
    for number in range(10):
        data = update_agent(data, FILE, {"status": f"step {number}", "expect": number})
    assert data.count(b"status:") == 1
    assert data.count(b"expect:") == 1
    assert data.endswith(b"---\n\n    notes, indented\n\n---\n")


@given(
    st.dictionaries(st.sampled_from(["task", "status", "label"]), st.none() | st.text(max_size=30))
)
@settings(max_examples=150, deadline=None)
def test_an_update_is_read_back_or_refused_whole(changes):
    try:
        updated = agent_from_bytes(update_agent(EDITED, FILE, changes), FILE)
    except (BrokenFile, ValueError):
        return
    before = agent_from_bytes(EDITED, FILE)
    assert updated == replace(before, **{key: value or None for key, value in changes.items()})


@pytest.mark.parametrize("changes", [{"name": None}, {"colour": "red"}, {"notes": "x"}])
def test_a_required_or_unknown_key_cannot_be_changed_so(changes):
    with pytest.raises(ValueError, match="profile"):
        update_agent(EDITED, FILE, changes)


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        (b"'BlueLake'", b"GreenCastle", "name"),
        (b"b" * 32, b"b", "id"),
        (b"colour: blue", b"person: yes", "person"),
        (b"colour: blue", b"expect: 1.5", "expect"),
        (b"colour: blue", b"expect: -1", "expect"),
        (b"colour: blue", b"contact_policy: closed", "contact_policy"),
        (b"colour: blue", b"contacts: [a b]", "contacts"),
        (b"colour: blue", b"park_expires: later", "park_expires"),
        (b"colour: blue", b'status: "a\\nb"', "status"),
    ],
)
def test_a_wrong_value_is_refused_with_file_line_and_key(old, new, key):
    data = EDITED.replace(old, new)
    with pytest.raises(BrokenFile) as caught:
        agent_from_bytes(data, FILE)
    assert repr(key) in caught.value.problem
    assert data.splitlines()[caught.value.line - 1].startswith(key.encode())


def test_a_file_below_another_name_is_not_that_agents_profile():
    assert agent_from_bytes(BYTES, "<pasted>") == AGENT
    with pytest.raises(BrokenFile, match="RedFox"):
        agent_from_bytes(BYTES, "agents/RedFox.md")
