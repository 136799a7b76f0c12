"""Whom a server speaks for: the order of names, sessions that come back, names that are taken."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

import pytest
from server_desk import BLUE, GREEN, Project, git

from gitmail.board.sessions import Sessions, key_of, process_key, session_key
from gitmail.errors import InvalidInput, NotFound
from gitmail.git.project import discover, set_project_config
from gitmail.values.names import name_problem
from gitmail_server.desk import Desk, Start, open_desk

SESSION = {"CLAUDE_CODE_SESSION_ID": "7d0c-session"}


def start(project: Project, *, agent: str | None = None, host: int = 0, **environ: str) -> Start:
    return Start(environ, project.path, host or os.getpid(), agent)


def lasting(project: Project, name: str) -> None:
    set_project_config(discover(project.path), "gitmail.agent", name)


def test_an_option_counts_above_the_environment_and_that_above_what_is_derived(
    project: Project,
) -> None:
    lasting(project, GREEN)
    with ExitStack() as ending:

        def name(**more: str) -> str:
            desk = open_desk(start(project, **more))
            ending.callback(desk.close)
            return desk.caller.name

        assert name(agent="RedHill", GITMAIL_AGENT=BLUE) == "RedHill"
        assert name(GITMAIL_AGENT=BLUE, **SESSION) == BLUE
        assert name(**SESSION) == GREEN


def test_a_resumed_session_keeps_its_name_and_another_session_gets_another(
    project: Project,
) -> None:
    def once(**environ: str) -> tuple[str, bool]:
        desk = open_desk(start(project, **environ))
        desk.close()
        return desk.caller.name, desk.told

    first, told = once(**SESSION)
    assert told
    assert name_problem(first) is None
    assert once(**SESSION)[0] == first
    assert once(CLAUDE_CODE_SESSION_ID="another")[0] != first
    assert once(GITMAIL_SESSION="7d0c-session")[0] == first


def test_without_a_session_id_the_hosts_process_is_the_session(project: Project) -> None:
    def once(host: int) -> str:
        desk = open_desk(start(project, host=host))
        desk.close()
        return desk.caller.name

    assert once(os.getpid()) == once(os.getpid())
    assert once(os.getpid()) != once(os.getppid())


def test_a_process_key_tells_a_reused_id_from_the_process_that_had_it() -> None:
    key = process_key(os.getpid())
    assert key is not None
    assert key == process_key(os.getpid())
    assert process_key(2**22 + 1) is None
    assert key_of({}, os.getpid()) == key
    assert key_of(SESSION, os.getpid()) == session_key("7d0c-session")


def test_a_derived_name_that_another_live_server_has_is_left_to_it(project: Project) -> None:
    lasting(project, GREEN)
    first = open_desk(start(project, host=1))
    second = open_desk(start(project, **SESSION))
    assert first.caller.name == GREEN
    assert second.caller.name not in (GREEN, BLUE)
    assert second.told
    first.close()
    second.close()
    again = open_desk(start(project, **SESSION))
    again.close()
    assert again.caller.name == second.caller.name  # the session goes on under its own name


def test_an_explicit_name_is_shared_and_not_told(project: Project) -> None:
    first, second = (open_desk(start(project, agent=BLUE)) for _ in range(2))
    assert (first.caller.name, second.caller.name) == (BLUE, BLUE)
    assert not second.told
    assert second.presence.living(BLUE)
    first.close()
    assert second.presence.living(BLUE)
    second.close()
    assert not second.presence.living(BLUE)


def test_fresh_names_never_meet_a_registered_bound_or_living_one(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered = iter([BLUE, "BoundName", "LivingName", "FreeName"])
    monkeypatch.setattr("gitmail_server.identity.fresh_name", lambda choice: next(offered))
    living = open_desk(start(project, agent="LivingName"))
    Sessions(living.store.private).bind(session_key("else"), "BoundName")
    desk = open_desk(start(project, **SESSION))
    assert desk.caller.name == "FreeName"
    desk.close()
    living.close()


def test_connecting_commits_nothing(project: Project) -> None:
    before = project.commits()
    open_desk(start(project, **SESSION)).close()
    assert project.commits() == before
    assert git(project.path, "status", "--porcelain") == ""


@pytest.mark.parametrize("name", ["all", "no spaces", "3f9a1c22", "ma1ntainer"])
def test_a_name_nobody_can_have_is_refused(project: Project, name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        open_desk(start(project, agent=name))
    assert refused.value.code == "invalid_agent"


def test_the_project_is_looked_for_in_the_documented_order(
    project: Project, tmp_path: Path
) -> None:
    folder = tmp_path / "nowhere"
    folder.mkdir()
    base = {"folder": folder, "host": os.getpid(), "agent": BLUE}

    def opened(desk: Desk) -> bool:
        desk.close()
        return desk.store.path.samefile(project.store)

    inside = str(project.path)
    assert opened(open_desk(Start({"GITMAIL_PROJECT": inside}, **base)))
    assert opened(open_desk(Start({"CLAUDE_PROJECT_DIR": inside}, **base)))
    assert opened(open_desk(Start({"GITMAIL_PROJECT": str(folder)}, project=inside, **base)))
    with pytest.raises(NotFound) as outside:
        open_desk(Start({}, **base))
    assert outside.value.code == "project_not_found"


def test_sessions_survive_damage_and_a_read_only_place(project: Project) -> None:
    desk = open_desk(start(project, **SESSION))
    desk.close()
    key = session_key(SESSION["CLAUDE_CODE_SESSION_ID"])
    binding = project.store / ".git" / "gitmail" / "sessions" / key
    for damage in (b"", b"\xff\xfe", b"../../etc\n", b"all\n"):
        binding.write_bytes(damage)
        again = open_desk(start(project, **SESSION))
        again.close()
        assert name_problem(again.caller.name) is None
