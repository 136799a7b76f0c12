"""No argument can speak for another agent: every tool, with every kind of wrong token.

The rules of docs/architecture.md (identity): missing, wrong and revoked tokens are all
`not_authorized`; with the agent's own token the same call passes.
"""

from __future__ import annotations

from typing import Any

import pytest
from server_desk import BLUE, GREEN, RED, Project, Voice, talk

from gitmail.board.credentials import Credentials
from gitmail_server.toolsets import FULL

NAMES = ("agent_name", "sender_name", "from_agent", "to_agent", "holder", "name")
"""Arguments that name an agent; which of them is the one who acts is in OTHERS."""

LETTER = {"subject": "Forged", "body_md": "In your name."}
OTHERS: dict[str, dict[str, Any]] = {
    "fetch_inbox": {"agent_name": BLUE},
    "mark_message_read": {"agent_name": BLUE},
    "acknowledge_message": {"agent_name": BLUE},
    "register_agent": {"name": BLUE, "program": "p", "model": "m"},
    "retire_agent": {"agent_name": BLUE},
    "unretire_agent": {"agent_name": BLUE},
    "send_message": {"sender_name": BLUE, "to": RED, **LETTER},
    "reply_message": {"sender_name": BLUE, "body_md": "No."},
    "search_messages": {"agent_name": BLUE, "query": "words"},
    "request_contact": {"from_agent": BLUE, "to_agent": RED},
    "respond_contact": {"to_agent": BLUE, "from_agent": RED, "accept": True},
    "list_contacts": {"agent_name": BLUE},
    "set_contact_policy": {"agent_name": BLUE, "policy": "block_all"},
    "macro_start_session": {"agent_name": BLUE, "program": "p", "model": "m"},
    "macro_prepare_thread": {"agent_name": BLUE, "program": "p", "model": "m"},
    "file_reservation_paths": {"agent_name": BLUE, "paths": ["a"]},
    "renew_file_reservations": {"agent_name": BLUE},
    "release_file_reservations": {"agent_name": BLUE},
    "force_release_file_reservation": {"agent_name": BLUE, "file_reservation_id": "a" * 32},
}
"""Each tool that acts for the agent an argument names: a call of GreenCastle's as BlueLake."""

LOOKING = {
    "check_file_reservations",
    "whois",
    "fetch_topic",
    "fetch_thread",
    "summarize_thread",
    "list_agents",
}
"""Tools whose arguments name an agent only as a subject, or nobody."""


def _token_argument(tool: Any) -> str | None:
    accepted = tool.arguments.accepted()
    return next((one for one in ("registration_token", "sender_token") if one in accepted), None)


def _whole(
    tool: Any, given: dict[str, Any], project: Project, ids: dict[str, str]
) -> dict[str, Any]:
    accepted = tool.arguments.accepted()
    common = {"project_key": str(project.path), "human_key": str(project.path), **ids}
    return {name: value for name, value in common.items() if name in accepted} | given


def test_every_tool_that_names_who_acts_is_tried_here() -> None:
    by_token = {tool.name for tool in FULL if _token_argument(tool) is not None}
    assert by_token - set(OTHERS) - {"check_file_reservations"} == set()
    for tool in FULL:
        named = [name for name in NAMES if name in tool.arguments.accepted()]
        if named and tool.name not in OTHERS and tool.name not in LOOKING:
            assert _token_argument(tool) is None, tool.name
            assert named == ["name"], tool.name  # a display name, of oneself


@pytest.mark.parametrize("kind", ["missing", "wrong", "another's", "revoked"])
def test_a_call_in_anothers_name_is_refused_and_changes_nothing(
    project: Project, kind: str
) -> None:
    with project.open() as store:
        credentials = Credentials(store.private)
        revoked = credentials.issue(BLUE)
        credentials.revoke(BLUE)
        tokens = {
            "missing": None,
            "wrong": "gitmail-" + "x" * 32,
            "another's": credentials.issue(RED),
            "revoked": revoked,
        }
    tools = {tool.name: tool for tool in FULL}

    async def play(green: Voice, red: Voice) -> None:
        sent = await red(
            "send_message",
            project_key=str(project.path),
            sender_name=RED,
            to=[BLUE, GREEN],
            thread_id="T",
            **LETTER,
        )
        ids = {"message_id": sent["id"], "thread_id": "T"}
        before = project.commits()
        for name in OTHERS.keys() & tools.keys():
            tool = tools[name]
            given = _whole(tool, OTHERS[name], project, ids if "search" not in name else {})
            argument = _token_argument(tool)
            if argument is not None and tokens[kind] is not None:
                given[argument] = tokens[kind]
            answer = await green(name, **given)
            assert answer.error == "not_authorized", (name, answer)
            assert tokens[kind] is None or tokens[kind] not in answer.text
        assert project.commits() == before

    talk(project, play, GREEN, RED)


def test_with_the_agents_own_token_the_same_calls_pass(project: Project) -> None:
    with project.open() as store:
        token = Credentials(store.private).issue(BLUE)
    tools = {tool.name: tool for tool in FULL}
    later = {"retire_agent", "unretire_agent", "force_release_file_reservation"}

    async def play(green: Voice, red: Voice) -> None:
        sent = await red(
            "send_message",
            project_key=str(project.path),
            sender_name=RED,
            to=[BLUE, GREEN],
            thread_id="T",
            **LETTER,
        )
        ids = {"message_id": sent["id"], "thread_id": "T"}
        names = [name for name in OTHERS if name in tools and name not in later]
        for name in [*names, "retire_agent", "unretire_agent"]:
            tool = tools[name]
            given = _whole(tool, OTHERS[name], project, ids if "search" not in name else {})
            answer = await green(name, **given | {str(_token_argument(tool)): token})
            assert answer.error is None, (name, answer)

    talk(project, play, GREEN, RED)


def test_tokens_are_kept_hashed_and_for_the_owner_only(project: Project) -> None:
    with project.open() as store:
        credentials = Credentials(store.private)
        token = credentials.issue(BLUE)
        assert credentials.owner(token) == "bluelake"
        for wrong in ("", token[:-1], token + "x", token.upper(), "gitmail-", "\u00e9", "\x00"):
            assert credentials.owner(wrong) is None
            assert not credentials.accepts(BLUE, wrong)
        folder = store.private.credentials
        assert folder.stat().st_mode & 0o077 == 0
        for file in folder.iterdir():
            assert file.stat().st_mode & 0o077 == 0
            assert token not in file.read_text()
        assert credentials.issued(BLUE)
        credentials.revoke(BLUE)
        assert credentials.owner(token) is None
        assert not credentials.issued(BLUE)
    assert token not in "".join(
        path.read_text(errors="replace") for path in project.store.rglob("*") if path.is_file()
    )
